// Handlers for frameworks without an adapter: they take the parts of a request, and return those of an
// answer.

export { webhookHandler } from './webhook.js'
export { loginHandler } from './login.js'

/** @typedef {import('./answer.js').Answer} Answer */
/** @typedef {import('./request.js').HandlerRequest} HandlerRequest */
/** @typedef {import('./login.js').LoginOptions} LoginOptions */
/**
 * @template [Tx=void]
 * @typedef {import('./webhook.js').WebhookOptions<Tx>} WebhookOptions
 */
