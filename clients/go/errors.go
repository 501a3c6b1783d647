package countersign

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is what all error types of this package have in common:
//
//	var failure countersign.Error
//	if errors.As(err, &failure) { … }
type Error interface {
	error
	countersign()
}

// ProblemError is an answer in which the service refuses a request or reports its own fault. Decide by
// Code; its values are stable and listed in docs/problems.md. Treat an unknown one by its Status.
type ProblemError struct {
	Status int
	Code   ProblemCode
	Title  string
	// Detail says what to change, for developers. Do not show it to users. Empty if Title says it all.
	Detail string
	// Field is the member of the request that is wrong, as a JSON pointer. Empty if no single one is.
	Field string
	// RequestID identifies the request in the service's log.
	RequestID string
	// RetryAfter is how long the service asks to wait. Zero if it does not say.
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

// ConnectionError means that the service did not answer: it was not reached, it took too long, or something in
// between answered. The request may or may not have taken effect.
type ConnectionError struct {
	// Err is the cause. It wraps [context.Canceled] or [context.DeadlineExceeded] if the context ended.
	Err error
	// Status is the HTTP status of what answered. Zero if nothing did.
	Status int
	// RetryAfter is how long that answer asks to wait. Zero if it does not say.
	RetryAfter time.Duration
	// Address is the service's, such as https://countersign.example.
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

// Reason says why a webhook was refused, as a word for programs.
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

// KeysUnavailableError means that a webhook cannot be judged, since the service's keys cannot be fetched just
// now. Answer 500: the service tries again.
type KeysUnavailableError struct {
	Err error
}

func (e *KeysUnavailableError) Error() string {
	return "countersign: the service's keys are not available: " + e.Err.Error()
}

func (e *KeysUnavailableError) Unwrap() error { return e.Err }

// ErrRecordMissing means that you have no record of what a webhook is about. Return it from OnVerified, OnLogin or
// OnApproval, wrapped or not: the answer is 503, and the service sends the webhook again until your record is there, for a
// day.
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

// UnknownApprovalError means that this service did not start the approval, or not for the user whom the service names.
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
