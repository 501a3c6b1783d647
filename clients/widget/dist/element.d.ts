import { CountersignElement } from './base.js';
import type { CountersignEventMap } from './events.js';
import { type Next } from './next.js';
/**
 * `<countersign-login app-key="..." service="https://...">`: logs a user in with their phone.
 *
 * Attributes: `app-key`; `service`, by default the origin of this script; `start`, a route of the page's own server
 * that opens the logins; `app-name`, which the texts use; `scan-with="camera"`, for users without the app; `lang`, the
 * language of the texts; `allow-unencrypted`, for pages to which browsers provide no cryptography. A page whose server
 * opened a login, as for an approval, sets `session` instead of `app-key`.
 */
export declare class CountersignLogin extends CountersignElement<'login'> {
    #private;
    static readonly observedAttributes: string[];
    /** Whether to log in without encryption if the browser provides no cryptography. Only `true` enables it. */
    get allowUnencrypted(): boolean;
    set allowUnencrypted(allow: boolean);
    /**
     * The login that the page's server opened, as JSON in the attribute; the server's library calls it `session`.
     */
    get session(): unknown;
    set session(session: unknown);
    /**
     * The link in the code or behind the button while a code can be scanned; otherwise `null`. It is visible to
     * everyone near the screen. A phone that opens it asks whether to confirm.
     */
    get link(): string | null;
    /**
     * Cancels the current login, tells the service, and dispatches `cancelled`. Has no effect without a login.
     */
    cancel(): void;
    /**
     * Starts again with a new code, in any state. With `session`, it dispatches `renew` if the element has a listener for
     * it.
     */
    refresh(): void;
    /** Shows that the page accepted the login, after the page prevented the default of `confirmed`. */
    accept(): void;
    /**
     * Shows that the page did not accept the login, and offers a new code. `text` tells the user why, in the
     * page's language, and `next` offers a link. Works after `confirmed`.
     */
    reject(text?: string, next?: Next): void;
}
export interface CountersignLogin {
    /** The attribute `app-key`. */
    appKey: string | null;
    /** The attribute `app-name`. */
    appName: string | null;
    /** The attribute `scan-with`. */
    scanWith: 'app' | 'camera' | null;
    /** The attribute `service`. */
    service: string | null;
    addEventListener<Name extends keyof CountersignEventMap>(type: Name, listener: (this: CountersignLogin, event: CountersignEventMap[Name]) => unknown, options?: boolean | AddEventListenerOptions): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}
