import { CountersignLogin } from './element.js';
import { CountersignPhone } from './phone-element.js';
export { CountersignLogin, CountersignPhone };
export type { ConfirmationDetail, ConfirmedDetail, CountersignEventMap, ErrorDetail, ExpiredDetail, PhoneEventMap, ScannedDetail, } from './events.js';
export type { Next } from './next.js';
export type { Starter, StartOptions } from './start.js';
export type { PhoneTexts, Texts } from './texts.js';
declare global {
    interface HTMLElementTagNameMap {
        'countersign-login': CountersignLogin;
        'countersign-phone': CountersignPhone;
    }
}
