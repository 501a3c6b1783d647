import type { CountersignEventMap } from './events.js';
import { type Texts } from './texts.js';
declare const Base: typeof HTMLElement;
/**
 * `<countersign-login app-key="..." service="https://...">`: logs a person in by their phone.
 *
 * Attributes: `app-key`; `service`, by default the origin that this script came from;
 * `require-encryption`, which refuses a payload that the service could read.
 */
export declare class CountersignLogin extends Base {
    #private;
    static readonly observedAttributes: string[];
    /** Everything that the element says. Set some or all of them; the others stay English. */
    get texts(): Readonly<Texts>;
    set texts(texts: Readonly<Partial<Texts>>);
    /** What the code says, or where the button leads, while a code waits to be scanned; else `null`.
     * It is on the screen for all to see. Whoever opens it is asked whether to confirm. */
    get link(): string | null;
    /** Gives up what is under way, tells the service, and dispatches `cancelled`. Without effect
     * where nothing is under way. */
    cancel(): void;
    /** Begins anew with a fresh code, whatever was before. */
    refresh(): void;
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(): void;
}
export interface CountersignLogin {
    addEventListener<Name extends keyof CountersignEventMap>(type: Name, listener: (this: CountersignLogin, event: CountersignEventMap[Name]) => unknown, options?: boolean | AddEventListenerOptions): void;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}
export {};
