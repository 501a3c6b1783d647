import { CountersignElement } from './base.ts'
import { CountersignLogin } from './element.ts'
import { keepMembers, reflectAttributes } from './members.ts'
import { CountersignPhone } from './phone-element.ts'

export { CountersignLogin, CountersignPhone }
export type {
  ConfirmationDetail, ConfirmedDetail, CountersignEventMap, ErrorDetail, ExpiredDetail, PhoneEventMap, ScannedDetail,
} from './events.ts'
export type { Next } from './next.ts'
export type { Starter, StartOptions } from './start.ts'
export type { PhoneTexts, Texts } from './texts.ts'

declare global {
  interface HTMLElementTagNameMap {
    'countersign-login': CountersignLogin
    'countersign-phone': CountersignPhone
  }
}

reflectAttributes(CountersignLogin.prototype, ['app-key', 'app-name', 'scan-with', 'service'])
reflectAttributes(CountersignPhone.prototype, ['app-name', 'country', 'mode'])
for (const { prototype } of [CountersignElement, CountersignLogin, CountersignPhone]) keepMembers(prototype)

for (const [name, element] of [['countersign-login', CountersignLogin], ['countersign-phone', CountersignPhone]] as const) {
  if (globalThis.customElements && !customElements.get(name)) customElements.define(name, element)
}
