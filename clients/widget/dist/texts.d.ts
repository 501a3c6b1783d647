/** Everything that the element says. */
export interface Texts {
    /** While a code is being made. */
    opening: string;
    /** Above the code. */
    scan: string;
    /** The code, for those who do not see it. */
    code: string;
    /** Replaces the code by a fresh one. */
    renew: string;
    /** Opens the link where the code is shown. */
    openHere: string;
    /** Above the link, on a phone. */
    onThisPhone: string;
    /** The link, on a phone. */
    openApp: string;
    /** Shows the code after all, on a phone. */
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
    /** Begins anew after an end. */
    again: string;
    /** Begins anew after a code has expired. */
    anew: string;
    /** There is no network. */
    offline: string;
    /** The service does not answer. */
    unreachable: string;
    /** The service asks to wait. */
    busy: string;
}
export declare const ENGLISH: Readonly<Texts>;
