import type { ErrorDetail } from './events.js';
import type { Starter, StartOptions } from './start.js';
import type { Words } from './texts.js';
declare const Base: typeof HTMLElement;
/** The common base of both elements: texts, errors, and a single start after any number of changes. */
export declare abstract class CountersignElement<Kind extends keyof Words> extends Base {
    #private;
    /**
     * The element's texts. Set some or all of them; the others do not change. Texts in languages other than
     * English are loaded when needed, and are English until then.
     */
    get texts(): Readonly<Words[Kind]>;
    set texts(texts: Readonly<Partial<Words[Kind]>>);
    /** The route of the page's own server that starts, as in the attribute, or a function that starts. */
    get start(): string | Starter | null;
    set start(start: string | Starter | null);
    /** Additions to the request to the route: headers, credentials and members of the body. */
    get startOptions(): StartOptions | null;
    set startOptions(options: StartOptions | null);
    /** The error that currently keeps the element from working; otherwise `null`. */
    get error(): ErrorDetail | null;
    addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(name: string, _: string | null, value: string | null): void;
}
export {};
