import { type CSSProperties, type ForwardRefExoticComponent, type HTMLAttributes, type RefAttributes } from 'react';
import type { CountersignLogin as LoginElement } from './element.js';
import type { CountersignEventMap, PhoneEventMap, SetupEventMap } from './events.js';
import type { CountersignPhone as PhoneElement } from './phone-element.js';
import type { CountersignSetup as SetupElement } from './setup-element.js';
import type { Starter, StartOptions } from './start.js';
import type { PhoneTexts, SetupTexts, Texts } from './texts.js';
export type { LoginElement as CountersignLoginElement, PhoneElement as CountersignPhoneElement, SetupElement as CountersignSetupElement };
export type { ConfirmationDetail, ConfirmedDetail, CountersignEventMap, ErrorDetail, ExpiredDetail, FailedDetail, MissedDetail, OpenedDetail, PhoneEventMap, RegistrationDetail, ScannedDetail, SetupEventMap, } from './events.js';
export type { PhoneTexts, SetupTexts, Starter, StartOptions, Texts };
/** A handler for each event: `onConfirmed` for `confirmed`. */
type Handlers<Events> = {
    readonly [Name in keyof Events & string as `on${Capitalize<Name>}`]?: ((event: Events[Name]) => unknown) | undefined;
};
/** The props of components that start something. */
interface CommonProps<Own> {
    /**
     * A route of the page's own server that starts, or a function that does. A new function does not restart the element.
     */
    readonly start?: string | Starter | undefined;
    /** Additions to the request to the route. */
    readonly startOptions?: StartOptions | undefined;
    /** Some or all of the element's texts. */
    readonly texts?: Readonly<Partial<Own>> | undefined;
    /** The name of the app for the texts. */
    readonly appName?: string | undefined;
    readonly className?: string | undefined;
    readonly style?: CSSProperties | undefined;
}
interface LoginSettings extends CommonProps<Texts> {
    /** Whether to log in without encryption if the browser provides no cryptography. */
    readonly allowUnencrypted?: boolean | undefined;
    /** `camera` if users scan the code with the phone's camera, because they may not have the app. */
    readonly scanWith?: 'app' | 'camera' | undefined;
}
/** A login that the page opens. */
interface OwnLogin {
    /** The app's public key. */
    readonly appKey: string;
    /** Countersign's URL. */
    readonly service: string;
    readonly session?: undefined;
}
/** A login that the page's server opened, as for an approval. */
interface GivenLogin {
    /**
     * The `session` from the server's library. A different object with the same content does not restart the element.
     */
    readonly session: unknown;
    readonly service: string;
    readonly appKey?: undefined;
}
interface PhoneSettings extends CommonProps<PhoneTexts> {
    /** `confirm` asks the user for the number. */
    readonly mode?: 'confirm' | undefined;
    /** The probable country of the number: two letters. */
    readonly country?: string | undefined;
    /**
     * Countersign's answer, if the page already has it. A different object with the same content does not restart the
     * element.
     */
    readonly session?: unknown;
}
interface SetupSettings {
    /**
     * The registration that the page's server started. A different object with the same content does not restart the element.
     */
    readonly registration: unknown;
    /** Countersign's URL. */
    readonly service: string;
    /** Some or all of the element's texts. */
    readonly texts?: Readonly<Partial<SetupTexts>> | undefined;
    readonly className?: string | undefined;
    readonly style?: CSSProperties | undefined;
}
/** The element's own props, and the props that every element has. */
type Props<Own, Events> = Own & Handlers<Events> & Omit<HTMLAttributes<HTMLElement>, keyof Own | keyof Handlers<Events>>;
export type CountersignLoginProps = Props<LoginSettings, CountersignEventMap> & (OwnLogin | GivenLogin);
export type CountersignPhoneProps = Props<PhoneSettings, PhoneEventMap>;
export type CountersignSetupProps = Props<SetupSettings, SetupEventMap>;
/**
 * Logs a user in with their phone. The ref is the element, which has its methods once the script is loaded.
 */
export declare const CountersignLogin: ForwardRefExoticComponent<CountersignLoginProps & RefAttributes<LoginElement>>;
/**
 * Verifies a phone number with a text that the user sends. The ref is the element, which has its methods once the
 * script is loaded.
 */
export declare const CountersignPhone: ForwardRefExoticComponent<PhoneSettings & Handlers<PhoneEventMap> & Omit<HTMLAttributes<HTMLElement>, "onCancelled" | "onError" | "onExpired" | "onMissed" | "onRenew" | "onStarted" | "onVerified" | keyof PhoneSettings> & RefAttributes<PhoneElement>>;
/**
 * Sets a phone up as the web authenticator of the user who is logged in. The ref is the element, which has its methods once
 * the script is loaded.
 */
export declare const CountersignSetup: ForwardRefExoticComponent<SetupSettings & Handlers<SetupEventMap> & Omit<HTMLAttributes<HTMLElement>, "onCompleted" | "onError" | "onFailed" | "onOpened" | "onRenew" | keyof SetupSettings> & RefAttributes<SetupElement>>;
