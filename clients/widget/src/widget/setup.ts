import { CountersignElement } from '../base.ts'
import { setup } from '../english-setup.ts'
import { ENGLISH } from '../languages.ts'
import { keepMembers, reflectAttributes } from '../members.ts'
import { CountersignSetup } from '../setup-element.ts'

export { CountersignSetup }
export type { ErrorDetail, FailedDetail, OpenedDetail, RegistrationDetail, SetupEventMap } from '../events.ts'
export type { SetupTexts } from '../texts.ts'

declare global {
  interface HTMLElementTagNameMap {
    'countersign-setup': CountersignSetup
  }
}

ENGLISH.setup = setup
reflectAttributes(CountersignSetup.prototype, ['service'])
for (const { prototype } of [CountersignElement, CountersignSetup]) keepMembers(prototype)

if (globalThis.customElements && !customElements.get('countersign-setup')) customElements.define('countersign-setup', CountersignSetup)
