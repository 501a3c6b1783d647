import { CountersignElement } from './base.js';
import type { PhoneEventMap } from './events.js';
import { type Next } from './next.js';
/**
 * `<countersign-phone start="/sign-up/phone">`: verifies a phone number with a text that the user sends.
 *
 * Attributes: `start`, a route of the page's own server that starts a confirmation; `mode="confirm"`, which asks the
 * user for the number to confirm; `country`, the probable country of that number; `app-name`, which the texts use;
 * `lang`, their language. A page that already has a confirmation sets the property `session` instead.
 */
export declare class CountersignPhone extends CountersignElement<'phone'> {
    #private;
    static readonly observedAttributes: string[];
    /** The confirmation that the page's script has: the unchanged answer of `POST /acquire-phone-number`. */
    get session(): unknown;
    set session(session: unknown);
    /** Starts again with a new confirmation, in any state. Without `start`, it dispatches `renew` if the page listens. */
    refresh(): void;
    /** Shows that the page accepted the number, after the page prevented the default of `verified`. */
    accept(): void;
    /**
     * Shows that the page did not accept the number. `text` tells the user why, and `next` what to do, in the page's
     * language: a link, such as to a login if the number already has an account.
     */
    reject(text?: string, next?: Next): void;
}
export interface CountersignPhone {
    /** The attribute `app-name`. */
    appName: string | null;
    /** The attribute `country`. */
    country: string | null;
    /** The attribute `mode`. */
    mode: 'confirm' | null;
    addEventListener<Name extends keyof PhoneEventMap>(type: Name, listener: (this: CountersignPhone, event: PhoneEventMap[Name]) => unknown, options?: boolean | AddEventListenerOptions): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}
