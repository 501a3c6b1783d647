// The rules without storage and requests, for the test phone of @countersign/server.

export { readOpened, type OpenedLogin } from './answer.ts'
export { confirmation, type ConfirmationBody, type ConfirmedLogin, type Prove } from './confirmation.ts'
export { AuthenticatorError, type InvalidLink } from './errors.ts'
export { isLoginId, isPlain, readLink } from './link.ts'
export { signingInput, type ProofFacts } from './proof.ts'
export { registrationText } from './signature.ts'
export { isContext } from './text.ts'
