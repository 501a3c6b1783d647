export { Countersign } from './countersign.js'
export {
  ConnectionError,
  CountersignError,
  KeysUnavailableError,
  LoginVerificationError,
  ProblemError,
  WebhookVerificationError,
} from './errors.js'

/** @typedef {import('./countersign.js').Options} Options */
/** @typedef {import('./confirmations.js').ListQuery} ListQuery */
/** @typedef {import('./proof.js').FindKey} FindKey */
/** @typedef {import('./proof.js').KnownKey} KnownKey */
/** @typedef {import('./proof.js').LoginDetail} LoginDetail */
/** @typedef {import('./store.js').Act} Act */
/** @typedef {import('./store.js').Outcome} Outcome */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./webhooks.js').ConfirmationEvent} ConfirmationEvent */
/** @typedef {import('./webhooks.js').LoginEvent} LoginEvent */
/** @typedef {import('./openapi.js').components['schemas']['Confirmation']} Confirmation */
/** @typedef {import('./openapi.js').components['schemas']['ConfirmationSession']} ConfirmationSession */
/** @typedef {import('./openapi.js').components['schemas']['InspectedSession']} Login */
/** @typedef {import('./openapi.js').components['schemas']['NewSession']} NewLogin */
