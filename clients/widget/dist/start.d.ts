import type { Clock } from './clock.js';
import { type Answer } from './request.js';
/** Starts in a way of the page's own. Returns what its server answered: a `Response`, or the JSON in it. */
export type Starter = (body: Readonly<Record<string, unknown>>) => unknown;
/** Additions to the request to the attribute `start`. */
export interface StartOptions {
    /** Headers, such as one with a CSRF token. */
    readonly headers?: Readonly<Record<string, string>>;
    /** The cookies to send; by default only to the page's own origin. A route of another origin needs it. */
    readonly credentials?: RequestCredentials;
    /** Members of the body, which is JSON. */
    readonly body?: Readonly<Record<string, unknown>>;
}
/** How to start: by the page's function, or by a request to a route. */
export type Start = Starter | (StartOptions & {
    readonly route: string;
});
/** The page's own server, which starts confirmations and opens logins. */
export declare class OwnServer {
    #private;
    constructor(clock: Clock, start: () => Start);
    /**
     * Has the server start, once. Throws each refusal as a `Refusal`, which says whether to try again. Those with one of the codes
     * are handed on as they came.
     */
    ask(body: Readonly<Record<string, unknown>>, codes?: readonly string[]): Promise<Answer['body']>;
}
