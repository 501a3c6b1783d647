import { CountersignSetup } from './setup-element.js';
export { CountersignSetup };
export type { ErrorDetail, FailedDetail, OpenedDetail, RegistrationDetail, SetupEventMap } from './events.js';
export type { SetupTexts } from './texts.js';
declare global {
    interface HTMLElementTagNameMap {
        'countersign-setup': CountersignSetup;
    }
}
