package countersign

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// approvalTimeout limits each of the two calls that an approval's webhook may need.
const approvalTimeout = 4 * time.Second

// WebhookOptions says what to do with webhooks.
type WebhookOptions struct {
	// OnVerified is called once for each confirmation that this service started. Take the user whose number it
	// is from your own record of the ConfirmationID, and return [ErrRecordMissing] if there is no record: if
	// OnVerified returns nil, the webhook is not sent again.
	//
	// If it fails, the answer is 500, and the service sends the webhook again. Finish within ten seconds. The
	// context is the request's, plus what the [Store] adds to it.
	OnVerified func(ctx context.Context, event *WebhookBody) error

	// OnLogin is called once for each decision about a login that this service opened with
	// [LoginService.Create]. It is for audits and warnings: do not log a user in because of it.
	OnLogin func(ctx context.Context, event *LoginWebhookBody) error

	// OnApproval is called once for each decided approval that this service started with [ApprovalService.Start],
	// unless [ApprovalService.Result] reported it before. Use the same function for both, so that no result is lost if
	// the page is closed. If it fails, the service sends the webhook again. It needs [Config].AppKey.
	OnApproval func(ctx context.Context, result *ApprovalResult) error

	// OnPhoneRegistered is called once for each phone that was set up with a registration that this service created
	// with [PhoneRegistrationService.Create]. Its key is registered already, so use this to tell the user about the
	// new phone. If it is nil, the handler acknowledges such events.
	OnPhoneRegistered func(ctx context.Context, event *PhoneRegisteredWebhookBody) error

	// FindKey finds the keys that sign approvals, as in [ApprovalOptions]. It may be nil.
	FindKey FindKey
}

// WebhookHandler returns the handler of your callback URL. An event without a callback is answered with 400,
// except that a phone which was set up is acknowledged.
//
// It panics if there is no callback, if [Config] has neither WebhookSecrets nor WebhookKeys, or if OnApproval lacks
// Config.AppKey.
func (c *Client) WebhookHandler(options WebhookOptions) http.Handler {
	if options.OnVerified == nil && options.OnLogin == nil && options.OnApproval == nil &&
		options.OnPhoneRegistered == nil {
		panic("countersign: WebhookHandler needs OnVerified, OnLogin, OnApproval or OnPhoneRegistered")
	}
	if options.OnApproval == nil && options.FindKey != nil {
		panic("countersign: WebhookHandler has a FindKey without OnApproval")
	}
	if options.OnApproval != nil && c.appKey == "" {
		panic("countersign: OnApproval needs Config.AppKey")
	}
	if err := c.requireVerification(); err != nil {
		panic(err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.receive(w, r, options).write(w)
	})
}

func (c *Client) receive(w http.ResponseWriter, r *http.Request, options WebhookOptions) *reply {
	if r.Method != http.MethodPost {
		return methodRefused
	}
	body, refused := c.readBody(w, r)
	if refused != nil {
		return refused
	}
	event, err := c.Webhooks.Verify(r.Context(), body, r.Header)
	if err != nil {
		return c.refuseWebhook(r.Context(), err)
	}
	switch event := event.(type) {
	case *WebhookBody:
		if options.OnVerified != nil {
			id := event.ConfirmationID
			outcome, err := c.acceptOnce(r.Context(), id,
				func(ctx context.Context) error { return options.OnVerified(ctx, event) })
			return c.answer(r.Context(), id, outcome, err, "unknown confirmation")
		}
	case *PhoneRegisteredWebhookBody:
		if options.OnPhoneRegistered == nil {
			// The key is registered, and the app may read that from the service instead.
			return &reply{http.StatusOK, "acknowledged"}
		}
		id := event.RegistrationID
		outcome, err := c.acceptOnce(r.Context(), id,
			func(ctx context.Context) error { return options.OnPhoneRegistered(ctx, event) })
		return c.answer(r.Context(), id, outcome, err, "unknown registration")
	case *LoginWebhookBody:
		if options.OnLogin != nil || options.OnApproval != nil {
			return c.acceptDecision(r.Context(), event, options)
		}
	}
	return c.refuseWebhook(r.Context(), &WebhookVerificationError{ReasonNotEvent})
}

func (c *Client) refuseWebhook(ctx context.Context, err error) *reply {
	c.log.WarnContext(ctx, "countersign: webhook refused", "error", err)
	var refused *WebhookVerificationError
	switch {
	case !errors.As(err, &refused):
		return cannotVerify
	case refused.Reason == ReasonNotEvent:
		return &reply{http.StatusBadRequest, "not a confirmation"}
	default:
		return &reply{http.StatusForbidden, "signature refused"}
	}
}

// acceptDecision handles an event about a login or an approval. The store knows which logins belong to this
// service.
func (c *Client) acceptDecision(ctx context.Context, event *LoginWebhookBody, options WebhookOptions) *reply {
	var outcome Outcome
	var err error
	if options.OnLogin != nil {
		outcome, err = c.acceptOnce(ctx, loginWebhookID(event.SessionID),
			func(ctx context.Context) error { return options.OnLogin(ctx, event) })
	}
	if options.OnApproval == nil || outcome != Unknown || err != nil {
		return c.answer(ctx, event.SessionID, outcome, err, "unknown login")
	}
	return c.acceptApproval(ctx, event.SessionID, options)
}

// acceptApproval reports an approval as Result does. The event only says that there is a result; the service's
// answer contains it.
func (c *Client) acceptApproval(ctx context.Context, id string, options WebhookOptions) *reply {
	outcome := Unknown // as long as the store has accepted nothing
	result, err := c.Approvals.Result(ctx, id, ApprovalOptions{
		FindKey: options.FindKey,
		OnResult: func(ctx context.Context, result *ApprovalResult) error {
			outcome = Accepted
			return options.OnApproval(ctx, result)
		},
	}, WithTimeout(min(approvalTimeout, c.limits.total)))
	var unknown *UnknownApprovalError
	var problem *ProblemError
	var connection *ConnectionError
	switch {
	case errors.As(err, &unknown):
		return c.answer(ctx, id, Unknown, nil, "unknown approval")
	case errors.As(err, &problem) || errors.As(err, &connection):
		c.log.ErrorContext(ctx, "countersign: webhook not accepted", "error", err)
		return cannotVerify
	case err != nil:
		return c.answer(ctx, id, Unknown, err, "")
	case result.Status == ApprovalPending:
		// The digits are still missing, and no other webhook will follow.
		return &reply{http.StatusServiceUnavailable, "not decided yet"}
	case result.Status == ApprovalAlreadyReported:
		outcome = Repeated
	}
	return c.answer(ctx, id, outcome, nil, "unknown approval")
}

func (c *Client) answer(ctx context.Context, id string, outcome Outcome, err error, unknown string) *reply {
	if errors.Is(err, ErrRecordMissing) {
		c.log.WarnContext(ctx, "countersign: webhook not accepted", "id", id, "error", err)
		return &reply{http.StatusServiceUnavailable, "record missing"}
	}
	if err != nil {
		c.log.ErrorContext(ctx, "countersign: webhook not accepted", "error", err)
		return internalError
	}
	switch outcome {
	case Accepted:
		return &reply{http.StatusOK, "accepted"}
	case Repeated:
		return &reply{http.StatusOK, "already accepted"}
	default:
		return &reply{http.StatusNotFound, unknown}
	}
}
