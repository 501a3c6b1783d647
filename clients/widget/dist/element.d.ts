import { CountersignElement } from './base.js';
import type { CountersignEventMap } from './events.js';
/**
 * `<countersign-login app-key="..." service="https://...">`: logs a user in with their phone.
 *
 * Attributes: `app-key`; `service`, by default the origin of this script; `start`, a route of the page's own
 * server that opens the logins; `app-name`, which the texts use; `lang`, their language; `allow-unencrypted`,
 * for pages to which browsers provide no cryptography.
 */
export declare class CountersignLogin extends CountersignElement<'login'> {
    #private;
    static readonly observedAttributes: string[];
    /** Whether to log in without encryption where the browser provides no cryptography. Nothing but `true` does. */
    get allowUnencrypted(): boolean;
    set allowUnencrypted(allow: boolean);
    /**
     * The link in the code or behind the button while a code waits to be scanned; otherwise `null`.
     * It is visible to everybody near the screen. Whoever opens it is asked whether to confirm.
     */
    get link(): string | null;
    /**
     * Gives up the present login, tells the service, and dispatches `cancelled`. Has no effect
     * without a login.
     */
    cancel(): void;
    /** Starts again with a fresh code, in any state. */
    refresh(): void;
    /** Shows that the page accepted the login, after it prevented the default of `confirmed`. */
    accept(): void;
    /**
     * Shows that the page did not accept the login, and offers a new code. `text` tells the user why, in the
     * page's language. Works after `confirmed`.
     */
    reject(text?: string): void;
}
export interface CountersignLogin {
    /** The attribute `app-key`. */
    appKey: string | null;
    /** The attribute `app-name`. */
    appName: string | null;
    /** The attribute `service`. */
    service: string | null;
    addEventListener<Name extends keyof CountersignEventMap>(type: Name, listener: (this: CountersignLogin, event: CountersignEventMap[Name]) => unknown, options?: boolean | AddEventListenerOptions): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}
