import type { Clock } from './clock.js';
import { type Answer } from './request.js';
/** Starts with the page's own function. Returns the server's answer: a `Response`, or the JSON in it. */
export type Starter = (body: Readonly<Record<string, unknown>>) => unknown;
/** Additions to the request to the route in `start`. */
export interface StartOptions {
    /** Headers, such as one with a CSRF token. */
    readonly headers?: Readonly<Record<string, string>>;
    /**
     * When to send cookies; by default, only to the page's own origin. A route with another origin needs this.
     */
    readonly credentials?: RequestCredentials;
    /** Members of the body, which is JSON. */
    readonly body?: Readonly<Record<string, unknown>>;
}
/** How to start: with the page's function, or with a request to a route. */
export type Start = Starter | (StartOptions & {
    readonly route: string;
});
/** The page's own server, which starts confirmations and opens logins. */
export declare class OwnServer {
    #private;
    constructor(clock: Clock, start: () => Start);
    /**
     * Asks the server to start, once. Throws each refusal as a `Refusal`, which says whether to retry. Refusals with one
     * of the given codes are passed on unchanged.
     */
    ask(body: Readonly<Record<string, unknown>>, codes?: readonly string[]): Promise<Answer['body']>;
}
