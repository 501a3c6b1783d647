/** The element's texts. */
export interface Texts {
    /** While a code is being created. */
    opening: string;
    /** Above the code. */
    scan: string;
    /** Describes the code to people who do not see it. */
    code: string;
    /** Replaces the code with a fresh one. */
    renew: string;
    /** Opens the link on the device that shows the code. */
    openHere: string;
    /** Above the link, on a phone. */
    onThisPhone: string;
    /** The link, on a phone. */
    openApp: string;
    /** Shows the code instead of the link, on a phone. */
    showCode: string;
    /** Shows the link again, on a phone. */
    hideCode: string;
    scanned: string;
    /** While the payload is fetched. */
    finishing: string;
    confirmed: string;
    denied: string;
    blocked: string;
    expired: string;
    cancelled: string;
    failed: string;
    /** Starts again after an end. */
    again: string;
    /** Starts again after a code has expired. */
    anew: string;
    /** The browser is offline. */
    offline: string;
    /** The service does not answer. */
    unreachable: string;
    /** The service asks to wait. */
    busy: string;
}
export declare const ENGLISH: Readonly<Texts>;
