package countersign

import (
	"context"
	"errors"
	"net/http"
)

// WebhookOptions says what to do with webhooks.
type WebhookOptions struct {
	// OnVerified is called once for each confirmation that this service started. Take the user whom the
	// number belongs to from your own record of the ConfirmationID, and return [ErrRecordMissing] if there is
	// none: if it returns nil, the webhook does not come again.
	//
	// If it fails, the answer is 500, and the service sends the webhook again. Finish within ten seconds. The
	// context is the request's, with what the [Store] adds to it.
	OnVerified func(ctx context.Context, event *WebhookBody) error

	// OnLogin is called once for each decision about a login that this service opened with
	// [LoginService.Create]. It is for audits and warnings: do not log anybody in because of it.
	OnLogin func(ctx context.Context, event *LoginWebhookBody) error
}

// WebhookHandler returns the handler of your callback URL. An event without a callback is answered 400.
//
// It panics if there is no callback, or if [Config] has neither WebhookSecrets nor WebhookKeys.
func (c *Client) WebhookHandler(options WebhookOptions) http.Handler {
	if options.OnVerified == nil && options.OnLogin == nil {
		panic("countersign: WebhookHandler needs OnVerified or OnLogin")
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
			return c.accept(r.Context(), event.ConfirmationID, "unknown confirmation",
				func(ctx context.Context) error { return options.OnVerified(ctx, event) })
		}
	case *LoginWebhookBody:
		if options.OnLogin != nil {
			return c.accept(r.Context(), loginWebhookID(event.SessionID), "unknown login",
				func(ctx context.Context) error { return options.OnLogin(ctx, event) })
		}
	}
	return c.refuseWebhook(r.Context(), &WebhookVerificationError{ReasonNotEvent})
}

func (c *Client) refuseWebhook(ctx context.Context, err error) *reply {
	c.log.WarnContext(ctx, "countersign: webhook refused", "error", err)
	var refused *WebhookVerificationError
	switch {
	case !errors.As(err, &refused):
		return &reply{http.StatusInternalServerError, "cannot verify just now"}
	case refused.Reason == ReasonNotEvent:
		return &reply{http.StatusBadRequest, "not a confirmation"}
	default:
		return &reply{http.StatusForbidden, "signature refused"}
	}
}

func (c *Client) accept(
	ctx context.Context, id, unknown string, act func(context.Context) error,
) *reply {
	outcome, err := c.acceptOnce(ctx, id, act)
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
