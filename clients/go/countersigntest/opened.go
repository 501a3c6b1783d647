package countersigntest

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/internal/access"
	"github.com/countersign/countersign/clients/go/internal/phonekey"
	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// Opened is a login on the phone's screen.
type Opened struct {
	// SessionID is the login's id.
	SessionID string
	// Origin is the origin of the page that the user sees.
	Origin string
	// Context is the text that the user approves. It is empty for a login.
	Context string
	// CheckCode contains the two digits that the user types in the page after confirming. It is empty if there
	// are none.
	CheckCode string
	// Session is the rest of the screen, as described in docs/logins.md: texts, places, risk.
	Session json.RawMessage

	phone      *Phone
	userID     string
	token      string
	browserKey []byte // nil without a key
	serverTime time.Time
	openedAt   time.Time
}

// initiation is the service's answer to a phone that opens a login.
type initiation struct {
	Session *struct {
		MobileTemplateResponse map[string]any
	}
	App              *struct{ Name *string }
	Origin           *string
	BrowserPublicKey *string
	Context          *string
	CheckCode        *string
	ServerTime       time.Time
	ExpiresAt        time.Time
}

var digits = regexp.MustCompile(`^\d\d$`)

// initiate reserves the login for this phone and verifies the answer.
func (o *Opened) initiate(ctx context.Context) error {
	body := make(map[string]string)
	if o.userID != "" {
		body["publicUserId"] = o.userID
	}
	var text json.RawMessage
	err := o.phone.service.Send(ctx, access.Request{
		Method: http.MethodPost, Path: o.path("initiate"), Header: o.header(), Body: body,
	}, &text)
	if err != nil {
		return err
	}
	o.openedAt = time.Now()
	if refused := o.read(text); refused != "" {
		if refused.isReported() {
			// The service itself may be dishonest, so its answer changes nothing in the request.
			_ = o.deny(ctx, map[string]string{"payload": "", "reason": "key_mismatch"})
		}
		return &RefusedError{refused}
	}
	return nil
}

func (o *Opened) path(action string) string { return "/qr-sessions/" + o.SessionID + "/" + action }

func (o *Opened) header() http.Header { return http.Header{"Authorization": {"Bearer " + o.token}} }

// read sets the values that the id covers. It returns the reason to refuse, if there is one.
func (o *Opened) read(text []byte) Reason {
	var answer initiation
	var session struct{ Session json.RawMessage }
	if json.Unmarshal(text, &answer) != nil || json.Unmarshal(text, &session) != nil || answer.Origin == nil {
		return AnswerMalformed
	}
	if refused := o.vouch(answer); refused != "" {
		return refused
	}
	switch {
	case answer.Session == nil || answer.Session.MobileTemplateResponse == nil,
		answer.App == nil || answer.App.Name == nil,
		answer.ServerTime.IsZero() || answer.ExpiresAt.IsZero(),
		answer.CheckCode != nil && !digits.MatchString(*answer.CheckCode):
		return AnswerMalformed
	}
	o.Session, o.serverTime = session.Session, answer.ServerTime
	if answer.CheckCode != nil {
		o.CheckCode = *answer.CheckCode
	}
	return ""
}

// vouch computes the id from the phone's own app key and the values in the service's answer.
func (o *Opened) vouch(answer initiation) Reason {
	hasKey, hasContext := answer.BrowserPublicKey != nil, answer.Context != nil
	switch {
	case hasContext && isPlain(o.SessionID):
		return ContextUnexpected
	case hasKey && isPlain(o.SessionID):
		return KeyUnexpected
	case !hasKey && !isPlain(o.SessionID):
		return KeyMissing
	case hasContext && !isShown(*answer.Context):
		return ContextMalformed
	}
	o.Origin = *answer.Origin
	if hasContext {
		o.Context = *answer.Context
	}
	if !hasKey {
		return ""
	}
	key, err := base64.RawURLEncoding.Strict().DecodeString(*answer.BrowserPublicKey)
	if err != nil || protocol.SessionID(o.phone.service.AppKey, o.Origin, o.Context, key) != o.SessionID {
		return KeyMismatch
	}
	o.browserKey = key
	return ""
}

// ConfirmOption modifies a confirmation.
type ConfirmOption func(*confirmOptions)

type confirmOptions struct {
	signer *phonekey.Key // nil for a confirmation without a proof
}

// SignWith signs with another phone's key, under the user id of this phone.
func SignWith(other *Phone) ConfirmOption { return func(o *confirmOptions) { o.signer = other.key } }

// WithoutProof omits the proof, like a phone without a key.
func WithoutProof() ConfirmOption { return func(o *confirmOptions) { o.signer = nil } }

// Confirm confirms the login with this payload, which your app passes to your page. Leave it empty if nothing reads it.
// It returns the detail of the page's confirmed event, so that a test can post it to your server.
//
// If the login has a [Opened.CheckCode], the service waits until the page has sent it.
func (o *Opened) Confirm(
	ctx context.Context, payload string, options ...ConfirmOption,
) (*countersign.LoginDetail, error) {
	chosen := confirmOptions{signer: o.phone.key}
	for _, option := range options {
		option(&chosen)
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return nil, err
	}
	detail := &countersign.LoginDetail{SessionID: o.SessionID, Payload: payload, Salt: protocol.Base64URL(salt)}
	if chosen.signer != nil {
		proof, err := chosen.signer.Prove(phonekey.Proof{
			AppKey: o.phone.service.AppKey, Origin: o.Origin, SessionID: o.SessionID, UserID: o.userID,
			Context: o.Context, Salt: salt, Payload: payload, At: o.now(),
		})
		if err != nil {
			return nil, err
		}
		detail.Proof = proof
	}
	body, err := o.confirmation(*detail)
	if err != nil {
		return nil, err
	}
	err = o.phone.service.Send(ctx, access.Request{
		Method: http.MethodPost, Path: o.path("confirm"), Header: o.header(), Body: body, WithoutKey: true,
	}, nil)
	if err != nil {
		return nil, err
	}
	return detail, nil
}

// now returns the service's time, because the phone's own clock may be wrong.
func (o *Opened) now() time.Time { return o.serverTime.Add(time.Since(o.openedAt)) }

// confirmation returns the body of a confirmation, encrypted if the browser has a key.
func (o *Opened) confirmation(detail countersign.LoginDetail) (map[string]any, error) {
	body := map[string]any{"payload": detail.Payload}
	if detail.Proof != "" {
		body["proof"] = detail.Proof
	}
	if o.browserKey == nil {
		body["salt"] = detail.Salt
		return body, nil
	}
	plain, err := json.Marshal(map[string]string{"payload": detail.Payload, "salt": detail.Salt})
	if err != nil {
		return nil, err
	}
	sealed, err := seal(o.browserKey, protocol.Framed("countersign/qr/2", o.SessionID, o.Origin), plain)
	if err != nil {
		return nil, err
	}
	body["payload"], body["encrypted"] = protocol.Base64URL(sealed), true
	return body, nil
}

// ConfirmLate waits until the login has expired, and then confirms. It returns the service's refusal, a
// [countersign.ProblemError] with the status 410, or nil if the service confirmed anyway.
func (o *Opened) ConfirmLate(ctx context.Context, payload string, options ...ConfirmOption) error {
	err := o.phone.service.Send(ctx, access.Request{Method: http.MethodPost, Path: o.path("expire")}, nil)
	if err != nil {
		return err
	}
	_, err = o.Confirm(ctx, payload, options...)
	return err
}

// Deny denies the login.
func (o *Opened) Deny(ctx context.Context) error {
	return o.deny(ctx, map[string]string{"payload": ""})
}

func (o *Opened) deny(ctx context.Context, body map[string]string) error {
	return o.phone.service.Send(ctx, access.Request{
		Method: http.MethodPost, Path: o.path("deny"), Header: o.header(), Body: body, WithoutKey: true,
	}, nil)
}
