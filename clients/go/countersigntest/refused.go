package countersigntest

// RefusedError means that a phone refuses a link, or the service's answer about it. Nothing can be confirmed.
type RefusedError struct {
	Reason Reason
}

// Reason says why the phone refuses.
type Reason string

// Reasons of a [RefusedError]. The phone reports those from [KeyMissing] to [KeyMismatch] to the service, which
// blocks the login.
const (
	LinkMalformed      Reason = "link_malformed"
	LinkInsecure       Reason = "link_insecure" // neither https nor this machine
	SessionIDMissing   Reason = "session_id_missing"
	SessionIDMalformed Reason = "session_id_malformed" // or several
	PlainRefused       Reason = "plain_refused"        // of a browser without a key, see [AllowUnencrypted]
	KeyMissing         Reason = "key_missing"
	KeyUnexpected      Reason = "key_unexpected"
	ContextUnexpected  Reason = "context_unexpected"
	ContextMalformed   Reason = "context_malformed" // looks different on different screens
	KeyMismatch        Reason = "key_mismatch"      // app, page, context or key do not fit the id
	AnswerMalformed    Reason = "answer_malformed"
)

func (e *RefusedError) Error() string {
	return "countersigntest: the phone refuses: " + string(e.Reason)
}

// isReported says whether a phone reports the refusal to the service.
func (r Reason) isReported() bool {
	switch r {
	case KeyMissing, KeyUnexpected, ContextUnexpected, ContextMalformed, KeyMismatch:
		return true
	default:
		return false
	}
}
