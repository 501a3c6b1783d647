// A phone that confirms logins and approvals of Countersign.

export { Authenticator, type OpenOptions } from './authenticator.ts'
export { type AuthenticatorOptions } from './configuration.ts'
export type { Flag, MobileTemplateResponse, Place, RiskAnalytics, RiskStatus } from './details.ts'
export {
  AuthenticatorError, type AuthenticatorErrorCode, type Decision, type InvalidLink, type KeyMismatch, type MalformedAnswer, type ServiceProblem,
} from './errors.ts'
export { IndexedDbKeyStore, IndexedDbStorage, type IndexedDbOptions } from './indexed-db.ts'
export { type KeyRing, type Registration } from './keys.ts'
export { inOneProcess, MemoryKeyStore, MemoryStorage, type SimpleStorage } from './memory.ts'
export {
  NetworkError, type Assertion, type Awaitable, type Http, type HttpRequest, type HttpResponse, type KeyStore, type PasskeyScope, type SecretStorage, type Sleep, type Storage,
} from './ports.ts'
export { PasskeyStore, type NewPasskey, type Passkey, type PasskeyStoreOptions } from './passkeys.ts'
export { type CallOptions, type Session } from './session.ts'
export { ANON } from './text.ts'
export { type RetryPolicy } from './wire.ts'
