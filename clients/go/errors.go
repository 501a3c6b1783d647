package countersign

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is implemented by all error types of this package:
//
//	var failure countersign.Error
//	if errors.As(err, &failure) { … }
type Error interface {
	error
	countersign()
}

// ProblemError is an answer in which the service refuses a request or reports an internal error. Base
// decisions on Code; its values are stable and listed in docs/problems.md. For an unknown code, go by Status.
type ProblemError struct {
	Status int
	Code   ProblemCode
	Title  string
	// Detail says what to change, for developers. Do not show it to users. It is empty if Title says it all.
	Detail string
	// Field is the wrong member of the request, as a JSON pointer. It is empty if no single member is wrong.
	Field string
	// RequestID identifies the request in the service's log.
	RequestID string
	// RetryAfter is how long the service asks to wait. It is zero if the service does not say.
	RetryAfter time.Duration
}

func (e *ProblemError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "countersign: the service answered %d", e.Status)
	for _, part := range []string{e.Code, e.Title} {
		if part != "" {
			text.WriteString(", " + part)
		}
	}
	if e.Field != "" {
		text.WriteString(" at " + e.Field)
	}
	if e.RequestID != "" {
		text.WriteString(" (" + e.RequestID + ")")
	}
	return text.String()
}

// ConnectionError means that the service did not answer: it could not be reached, it took too long, or
// something between you and the service answered. The request may or may not have taken effect.
type ConnectionError struct {
	// Err is the cause. It wraps [context.Canceled] or [context.DeadlineExceeded] if the context ended.
	Err error
	// Status is the HTTP status of an answer that did not come from the service. It is zero if there was no
	// answer.
	Status int
	// RetryAfter is how long that answer asks to wait. It is zero if the answer does not say.
	RetryAfter time.Duration
	// Address is the service's address, such as https://countersign.example.
	Address string
}

func (e *ConnectionError) Error() string {
	return "countersign: the service at " + e.Address + " did not answer as expected: " + e.Err.Error()
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// WebhookVerificationError means that a request is not a webhook of the service. Answer 403, or 400 if Reason
// is [ReasonNotEvent].
type WebhookVerificationError struct {
	Reason Reason
}

// Reason says why a webhook was refused, as a constant for programs.
type Reason string

// Reasons of a [WebhookVerificationError].
const (
	ReasonSignatureMissing    Reason = "signature_missing"
	ReasonSignatureWrong      Reason = "signature_wrong"
	ReasonTimestampOutOfRange Reason = "timestamp_out_of_range" // more than five minutes from now
	ReasonNotEvent            Reason = "not_an_event"           // signed, but of no kind that this version knows
)

func (e *WebhookVerificationError) Error() string {
	return "countersign: the webhook is refused: " + string(e.Reason)
}

// KeysUnavailableError means that a webhook cannot be verified, because the service's keys cannot be fetched
// at the moment. Answer 500: the service sends the webhook again.
type KeysUnavailableError struct {
	Err error
}

func (e *KeysUnavailableError) Error() string {
	return "countersign: the service's keys are not available: " + e.Err.Error()
}

func (e *KeysUnavailableError) Unwrap() error { return e.Err }

// ErrRecordMissing means that you have no record of what a webhook is about. Return it from a callback of
// [WebhookOptions], wrapped or not: the answer is then 503, and the service sends the webhook again until your record
// exists, for up to a day.
var ErrRecordMissing = errors.New("countersign: there is no record of what the webhook is about: " +
	"write it with WithOnStarted or OnStarted, before anything can arrive")

// LoginVerificationError means that a proof does not log a user in. Reason is for your log: give the browser the same
// answer for every reason.
type LoginVerificationError struct {
	Reason string
}

func (e *LoginVerificationError) Error() string {
	return "countersign: the login is not proven: " + e.Reason
}

// UnknownApprovalError means that this service did not start the approval, or started it for a user other than the one
// that the service names.
type UnknownApprovalError struct {
	ID string
}

func (e *UnknownApprovalError) Error() string {
	return "countersign: the approval " + e.ID + " is not one that this service started for its user"
}

func (*ProblemError) countersign()             {}
func (*ConnectionError) countersign()          {}
func (*WebhookVerificationError) countersign() {}
func (*KeysUnavailableError) countersign()     {}
func (*LoginVerificationError) countersign()   {}
func (*UnknownApprovalError) countersign()     {}
