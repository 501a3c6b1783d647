package countersign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
)

// LoginOptions says who may log in with [Client.LoginHandler], and how.
type LoginOptions struct {
	// Origin is your page's origin, such as https://shop.example. Requests from other pages are refused, and so
	// are proofs for them.
	Origin string

	// FindKey finds the key that signed a proof.
	FindKey FindKey

	// OnLogin is called once for each login. Set the session cookie on w. You may also write an answer: nothing
	// is sent before the login is marked as used. The request's context is the one that the [Store] provided, so
	// that both can share a transaction.
	//
	// If it fails, the answer is 500, and the login can be repeated.
	OnLogin func(w http.ResponseWriter, r *http.Request, login Login) error
}

// LoginHandler returns the handler to which your page posts the detail of the confirmed event. It answers 200
// if OnLogin writes no answer. Every refusal is a 403 with the same text; the reason goes to the log.
//
// It panics if an option is missing or malformed, or if [Config].AppKey is missing.
func (c *Client) LoginHandler(options LoginOptions) http.Handler {
	if c.appKey == "" || options.Origin == "" || options.FindKey == nil || options.OnLogin == nil {
		panic("countersign: LoginHandler needs Config.AppKey, Origin, FindKey and OnLogin")
	}
	if err := checkOrigin(options.Origin); err != nil {
		panic(err.Error())
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held := hold(w)
		if refused := c.logIn(w, held, r, options); refused != nil {
			refused.write(w)
		} else {
			held.send(w)
		}
	})
}

func (c *Client) logIn(w http.ResponseWriter, held *heldResponse, r *http.Request, options LoginOptions) *reply {
	if r.Method != http.MethodPost {
		return methodRefused
	}
	// Otherwise, another site could log its visitors in here.
	if headerOf(r.Header, "Origin") != options.Origin {
		return c.refuseLogin(r.Context(), refuse("the request comes from another page"))
	}
	body, refused := c.readBody(w, r)
	if refused != nil {
		return refused
	}
	detail, ok := decodeDetail(body)
	if !ok {
		return &reply{http.StatusBadRequest, "not a login"}
	}
	expected := LoginExpectation{Origin: options.Origin, FindKey: options.FindKey}
	login, err := c.Logins.Verify(r.Context(), detail, expected)
	if err != nil {
		return c.refuseLogin(r.Context(), err)
	}
	// Last, so that a refused proof does not use up the login.
	if err := c.rememberOnce(r.Context(), detail.SessionID, loginTTL, noAct); err != nil {
		return c.refuseLogin(r.Context(), err)
	}
	outcome, err := c.acceptOnce(r.Context(), detail.SessionID, func(ctx context.Context) error {
		return options.OnLogin(held, r.WithContext(ctx), *login)
	})
	if err != nil {
		return c.refuseLogin(r.Context(), err)
	}
	if outcome != Accepted {
		return c.refuseLogin(r.Context(), refuse("the session was used before"))
	}
	return nil
}

func (c *Client) refuseLogin(ctx context.Context, err error) *reply {
	var refused *LoginVerificationError
	if errors.As(err, &refused) {
		c.log.WarnContext(ctx, "countersign: login refused", "reason", refused.Reason)
		return &reply{http.StatusForbidden, "not logged in"}
	}
	c.log.ErrorContext(ctx, "countersign: login failed", "error", err)
	return internalError
}

func decodeDetail(body []byte) (LoginDetail, bool) {
	var d struct{ SessionID, Payload, Salt, Proof *string }
	err := json.Unmarshal(body, &d)
	if err != nil || d.SessionID == nil || d.Payload == nil || d.Salt == nil || d.Proof == nil {
		return LoginDetail{}, false
	}
	return LoginDetail{SessionID: *d.SessionID, Payload: *d.Payload, Salt: *d.Salt, Proof: *d.Proof}, true
}

// heldResponse holds back OnLogin's answer until the login is marked as used. Otherwise, a browser could get
// its cookie although the transaction failed.
type heldResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func hold(w http.ResponseWriter) *heldResponse {
	held := &heldResponse{header: w.Header().Clone()}
	setDefaults(held.header)
	return held
}

func (h *heldResponse) Header() http.Header { return h.header }

func (h *heldResponse) WriteHeader(status int) {
	if h.status == 0 {
		h.status = status
	}
}

func (h *heldResponse) Write(text []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(text)
}

// send writes the held answer, or the default one if there is none.
func (h *heldResponse) send(w http.ResponseWriter) {
	clear(w.Header())
	maps.Copy(w.Header(), h.header)
	if h.status == 0 {
		(&reply{http.StatusOK, "logged in"}).write(w)
		return
	}
	w.WriteHeader(h.status)
	w.Write(h.body.Bytes())
}
