import { CountersignLogin } from './element.js';
export { CountersignLogin };
export type { ConfirmedDetail, CountersignEventMap, ErrorDetail, ExpiredDetail, ScannedDetail } from './events.js';
export type { Texts } from './texts.js';
declare global {
    interface HTMLElementTagNameMap {
        'countersign-login': CountersignLogin;
    }
}
