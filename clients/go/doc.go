// Package countersign lets a server use Countersign: learn or verify phone numbers by texts that users send,
// log browsers in with proofs that phones sign, and ask users to approve payments and the like.
//
// Create one [Client] per process with [New] and share it. Its parts are safe for concurrent use:
//
//   - [Client.Confirmations] starts, shows and cancels confirmations of phone numbers.
//   - [Client.WebhookHandler] receives the results. [WebhookService.Verify] only verifies a webhook.
//   - [Client.LoginHandler] logs browsers in. [LoginService.Verify] only verifies a proof.
//   - [Client.Approvals] asks users to approve a text on their phones.
//   - [Client.AssociationKeys] registers the keys of phones with the service.
//
// Package countersigntest provides a phone for tests. Package startlimit limits your own route that starts
// confirmations, logins or approvals.
//
// # Retries
//
// A request is attempted up to three times, each with a limit of ten seconds. It is retried after network
// errors and the statuses 429, 500, 502, 503 and 504. A call takes at most thirty seconds, including its
// attempts and waits; [WithTimeout] and [WithMaxRetries] change that for one call or for all. A Retry-After
// is respected if it fits into that time; otherwise there are no more attempts, and [ProblemError] reports
// it. The context of a call limits it as well. Only [ConfirmationService.Redeliver] is
// retried in fewer cases.
//
// # Errors
//
// Every failure is a [ProblemError], a [ConnectionError], a [WebhookVerificationError], a [KeysUnavailableError], a
// [LoginVerificationError], an [UnknownApprovalError], or the error of a [Store] or a callback of yours. Use
// [errors.As] to distinguish them. No error's text contains API keys, codes, payloads, tokens or phone numbers.
//
// # Clocks
//
// This machine's clock does not have to be right. The client learns the time from the service's answers, and
// uses it to verify signatures and proofs. To show the time left, use ExpiresIn, not ExpiresAt.
package countersign

//go:generate go -C internal/generate tool oapi-codegen -config config.yaml -o ../../types.gen.go ../../../../docs/openapi.json
//go:generate sh -c "go -C internal/generate run ./codes > problem_code.gen.go"
