import { CountersignLogin } from './element.ts'
import { CountersignPhone } from './phone-element.ts'

export { CountersignLogin, CountersignPhone }
export type {
  ConfirmationDetail, ConfirmedDetail, CountersignEventMap, ErrorDetail, ExpiredDetail, PhoneEventMap, ScannedDetail,
} from './events.ts'
export type { PhoneTexts, Texts } from './texts.ts'

declare global {
  interface HTMLElementTagNameMap {
    'countersign-login': CountersignLogin
    'countersign-phone': CountersignPhone
  }
}

for (const [name, element] of [['countersign-login', CountersignLogin], ['countersign-phone', CountersignPhone]] as const) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element)
}
