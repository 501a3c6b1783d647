// Package countersign lets a server use Countersign: learn or check phone numbers by texts that people
// send, log browsers in with proofs that phones sign, and have users approve payments and the like.
//
// Create one [Client] for the process with [New] and share it. Its parts are safe for concurrent use:
//
//   - [Client.Confirmations] starts, shows and cancels confirmations of phone numbers.
//   - [Client.WebhookHandler] receives the results. [WebhookService.Verify] only checks.
//   - [Client.LoginHandler] logs browsers in. [LoginService.Verify] only checks.
//   - [Client.Approvals] has users approve a text on their phones.
//   - [Client.AssociationKeys] registers the keys of phones with the service.
//
// Package countersigntest has a phone for tests, and package startlimit limits your own route that starts things.
//
// # Retries
//
// A request is tried up to three times, ten seconds each, after network failures and the statuses 429, 500,
// 502, 503 and 504. A call takes thirty seconds at most, with its tries and waits; [WithTimeout] and
// [WithMaxRetries] change that for a call or for all. A Retry-After is respected if it fits into that time;
// otherwise it ends the tries, and [ProblemError] reports it. The context of a call bounds it, too. Only
// [ConfirmationService.Redeliver] is more careful.
//
// # Errors
//
// Every failure is a [ProblemError], a [ConnectionError], a [WebhookVerificationError], a
// [KeysUnavailableError], a [LoginVerificationError], an [UnknownApprovalError], or the error of a [Store] or a
// callback of yours. Tell them apart with [errors.As]. No error's text contains API keys, codes, payloads, tokens or phone numbers.
//
// # Clocks
//
// This machine's clock need not be right. The client learns the time from the service's answers, and judges
// signatures and proofs by it. For the time left, count from ExpiresIn, not to ExpiresAt.
package countersign

//go:generate go -C internal/generate tool oapi-codegen -config config.yaml -o ../../types.gen.go ../../../../docs/openapi.json
//go:generate sh -c "go -C internal/generate run ./codes > problem_code.gen.go"
