import { CountersignElement } from './base.js';
import type { SetupEventMap } from './events.js';
/**
 * `<countersign-setup registration='{"registrationId":"phr_…","url":"…","pageToken":"…",…}'>`: sets a phone up as the web
 * authenticator of the user who is logged in.
 *
 * Attributes: `registration`, the answer of `POST /phone-registrations` to the page's server, as JSON; `service`, by default
 * the origin of this script; `lang`, the language of the texts.
 */
export declare class CountersignSetup extends CountersignElement<'setup'> {
    #private;
    static readonly observedAttributes: string[];
    /** The registration that the page's server started: the unchanged answer of `POST /phone-registrations`. */
    get registration(): unknown;
    set registration(registration: unknown);
    /** Dispatches `renew`, for a page that then sets another registration. */
    refresh(): void;
    /** Ends the registration, also at the service. */
    cancel(): void;
}
export interface CountersignSetup {
    /** The attribute `service`. */
    service: string | null;
    addEventListener<Name extends keyof SetupEventMap>(type: Name, listener: (this: CountersignSetup, event: SetupEventMap[Name]) => unknown, options?: boolean | AddEventListenerOptions): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}
