import type { Clock } from './clock.js';
type Json = Readonly<Record<string, unknown>>;
export interface Answer {
    readonly status: number;
    readonly headers: Headers;
    readonly body: Json;
}
/** Sends a request without cookies, unless `init` says otherwise. Throws refusals as {@link Refusal}. */
export declare function request(clock: Clock, url: string, init: RequestInit): Promise<Answer>;
/** Parses an answer. Throws refusals as {@link Refusal}. */
export declare function readAnswer(answer: Response): Promise<Answer>;
export declare const bearer: (token: string) => {
    authorization: string;
};
export {};
