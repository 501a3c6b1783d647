// What an app's own tests need in place of a person with a phone.

export { PhoneRefusedError } from './testing/refusal.js'
export { TestPhone } from './testing/phone.js'
export { startTestLogin } from './testing/login.js'

/** @typedef {import('./testing/opened.js').OpenedLogin} OpenedLogin */
/** @typedef {import('./testing/refusal.js').PhoneRefusal} PhoneRefusal */
