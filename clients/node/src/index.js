export { Countersign } from './countersign.js'
export {
  ConnectionError,
  CountersignError,
  KeysUnavailableError,
  LoginVerificationError,
  ProblemError,
  RecordMissingError,
  UnknownApprovalError,
  WebhookVerificationError,
} from './errors.js'

/** @typedef {import('./openapi.js').components['schemas']} Schemas */

/**
 * @template [Tx=void]
 * @typedef {import('./countersign.js').Options<Tx>} Options
 */
/** @typedef {import('./call-limits.js').CallOptions} CallOptions */
/** @typedef {import('./errors.js').WebhookReason} WebhookReason */
/** @typedef {import('./problem-codes.js').ProblemCode} ProblemCode */

// Requests and answers.
/**
 * @template [Tx=any]
 * @typedef {import('./confirmations.js').AcquireRequest<Tx>} AcquireRequest
 */
/**
 * @template [Tx=any]
 * @typedef {import('./confirmations.js').ConfirmRequest<Tx>} ConfirmRequest
 */
/** @typedef {import('./confirmations.js').ListQuery} ListQuery */
/** @typedef {import('./logins.js').LoginQuery} LoginQuery */
/** @typedef {import('./logins.js').CreateLoginRequest} CreateLoginRequest */
/** @typedef {Schemas['AssociationKeyId']} AssociationKeyId */
/** @typedef {Schemas['Confirmation']} Confirmation */
/** @typedef {Schemas['ConfirmationClient']} ConfirmationClient */
/** @typedef {Schemas['ConfirmationPage']} ConfirmationPage */
/** @typedef {Schemas['ConfirmationSession']} ConfirmationSession */
/** @typedef {Schemas['ConfirmationStatus']} ConfirmationStatus */
/** @typedef {Schemas['CreatePhoneRegistrationRequest']} CreatePhoneRegistrationRequest */
/** @typedef {Schemas['CreatedPhoneRegistration']} CreatedPhoneRegistration */
/** @typedef {Schemas['InspectedSession']} InspectedSession */
/** @typedef {Schemas['Metadata']} Metadata */
/** @typedef {Schemas['NewSession']} NewSession */
/** @typedef {Schemas['RegisterAssociationKeyRequest']} RegisterAssociationKeyRequest */
/** @typedef {Schemas['RegisteredAssociationKey']} RegisteredAssociationKey */
/** @typedef {Schemas['SessionPage']} SessionPage */
/** @typedef {Schemas['ShownPhoneRegistration']} ShownPhoneRegistration */

// Approvals.
/** @typedef {import('./approvals.js').ApprovalDecision} ApprovalDecision */
/** @typedef {import('./approvals.js').ApprovalResult} ApprovalResult */
/** @typedef {import('./approvals.js').ApprovalSession} ApprovalSession */
/**
 * @template [Tx=void]
 * @typedef {import('./approvals.js').ResultOptions<Tx>} ResultOptions
 */
/**
 * @template [Tx=void]
 * @typedef {import('./approvals.js').StartApproval<Tx>} StartApproval
 */
/** @typedef {import('./approvals.js').StartedApproval} StartedApproval */

// Webhooks.
/** @typedef {import('./headers.js').HeadersLike} HeadersLike */
/** @typedef {import('./webhooks.js').ConfirmationEvent} ConfirmationEvent */
/** @typedef {import('./webhooks.js').WebhookEvent} WebhookEvent */
/** @typedef {import('./webhooks.js').LoginEvent} LoginEvent */
/** @typedef {import('./webhooks.js').PhoneRegisteredEvent} PhoneRegisteredEvent */
/**
 * @template [Tx=void]
 * @typedef {import('./handlers/webhook.js').WebhookOptions<Tx>} WebhookOptions
 */

// Logins.
/** @typedef {import('./handlers/login.js').LoginOptions} LoginOptions */
/** @typedef {import('./logins.js').Login} Login */
/** @typedef {import('./proof.js').FindKey} FindKey */
/** @typedef {import('./proof.js').KnownKey} KnownKey */
/** @typedef {import('./logins.js').ExpectedLogin} ExpectedLogin */
/** @typedef {import('./proof.js').LoginDetail} LoginDetail */
/** @typedef {import('./proof.js').OpenedLoginDetail} OpenedLoginDetail */

// Stores.
/**
 * @template [Tx=void]
 * @typedef {import('./store.js').Act<Tx>} Act
 */
/** @typedef {import('./store.js').Outcome} Outcome */
/**
 * @template [Tx=void]
 * @typedef {import('./store.js').Store<Tx>} Store
 */
