/** The next step after a page has rejected the user: a link. */
export interface Next {
    readonly text: string;
    /** The address of a page. */
    readonly href: string;
}
/** Reads what a page offers. `null` if that is nothing, or no link to a page. */
export declare function readNext(next: Next | undefined): Next | null;
