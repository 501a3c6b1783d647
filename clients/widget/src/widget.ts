import { CountersignLogin } from './element.ts'

export { CountersignLogin }
export type { ConfirmedDetail, CountersignEventMap, ErrorDetail, ExpiredDetail, ScannedDetail } from './events.ts'
export type { Texts } from './texts.ts'

declare global {
  interface HTMLElementTagNameMap {
    'countersign-login': CountersignLogin
  }
}

const NAME = 'countersign-login'

if (globalThis.customElements && !customElements.get(NAME)) {
  customElements.define(NAME, CountersignLogin)
}
