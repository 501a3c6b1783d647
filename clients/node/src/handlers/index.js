// Handlers for frameworks that have no adapter: they take a request's parts, and return an answer's.

export { webhookHandler } from './webhook.js'
export { loginHandler } from './login.js'

/** @typedef {import('./answer.js').Answer} Answer */
/** @typedef {import('./request.js').HandlerRequest} HandlerRequest */
/** @typedef {import('./login.js').LoginOptions} LoginOptions */
/**
 * @template [Tx=void]
 * @typedef {import('./webhook.js').WebhookOptions<Tx>} WebhookOptions
 */
