// Stand-ins for a user with a phone, for an app's own tests.

export { PhoneRefusedError } from './testing/refusal.js'
export { TestPhone } from './testing/phone.js'
export { startTestLogin } from './testing/login.js'

/** @typedef {import('./testing/opened.js').OpenedLogin} OpenedLogin */
/** @typedef {import('./testing/refusal.js').PhoneRefusal} PhoneRefusal */
