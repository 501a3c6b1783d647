package countersign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// LoginService creates logins from your server, and verifies who confirmed them.
type LoginService struct{ client *Client }

// Create creates a login on behalf of a browser. The token is 32 random bytes in base64url without padding,
// generated for this login. Keep it in the browser's session on your server, because it redeems the payload.
// Set Origin, which must be one that the app lists, and Context if the user approves something.
//
// Before you show the answer's URL, compare its SessionID with the id that you compute. A repeated call with
// the same token and key gets the same answer. The client's [Store] records the login, so that webhooks about
// it are accepted.
func (s *LoginService) Create(
	ctx context.Context, browserToken string, login CreateSessionRequest, options ...RequestOption,
) (*NewSession, error) {
	if !visible.MatchString(browserToken) {
		return nil, errors.New("countersign: the browser's token is empty, or has characters that no token has")
	}
	opened, err := s.open(ctx, browserToken, login, s.client.apply(options))
	if err != nil {
		return nil, err
	}
	if err := s.client.rememberOnce(ctx, loginWebhookID(opened.SessionID), webhookTTL, noAct); err != nil {
		return nil, err
	}
	return opened, nil
}

func (s *LoginService) open(
	ctx context.Context, browserToken string, login CreateSessionRequest, settings requestSettings,
) (*NewSession, error) {
	text, err := body(login, settings.fields)
	if err != nil {
		return nil, fmt.Errorf("countersign: %w", err)
	}
	opened := &NewSession{}
	err = s.client.do(ctx, request{
		method: http.MethodPost,
		path:   "/qr-sessions",
		header: http.Header{"Authorization": {"Bearer " + browserToken}},
		body:   text,
		limits: settings.limits,
	}, opened)
	if err != nil {
		return nil, err
	}
	if opened.SessionID == "" {
		return nil, s.client.lacking("sessionId")
	}
	return opened, nil
}

// Get returns a login of your app. Nothing in it logs a user in: the id is visible on a screen, and a request
// that contains it proves nothing.
func (s *LoginService) Get(ctx context.Context, id string, options ...RequestOption) (*InspectedSession, error) {
	login := &InspectedSession{}
	r := request{method: http.MethodGet, path: loginPath(id), limits: s.client.apply(options).limits}
	if err := s.client.do(ctx, r, login); err != nil {
		return nil, err
	}
	return login, nil
}

// LoginListOptions filters logins. Zero values match all of them.
type LoginListOptions struct {
	State         SessionState
	CreatedFrom   time.Time
	CreatedBefore time.Time
	// Limit is the page size, from 1 to 100. The default is 20.
	Limit int
	// Cursor is the position after a page that you fetched yourself: that page's nextCursor.
	Cursor string
}

// List iterates over your app's logins as [ConfirmationService.List] does over confirmations. The service keeps a
// login for less than half an hour, so the list shows current problems but no history.
func (s *LoginService) List(
	ctx context.Context, query LoginListOptions, options ...RequestOption,
) iter.Seq2[*InspectedSession, error] {
	return allPages(func(cursor string) ([]InspectedSession, string, error) {
		query.Cursor = cmp.Or(cursor, query.Cursor)
		page, err := s.Page(ctx, query, options...)
		if err != nil {
			return nil, "", err
		}
		return page.Sessions, page.NextCursor, nil
	})
}

// Page returns one page of your app's logins; its NextCursor is the position of the next page. It is empty after
// the last page.
func (s *LoginService) Page(
	ctx context.Context, query LoginListOptions, options ...RequestOption,
) (*SessionPage, error) {
	parameters := listQuery(query.CreatedFrom, query.CreatedBefore, query.Limit, query.Cursor)
	setGiven(parameters, "state", string(query.State))
	page := &SessionPage{}
	r := request{
		method: http.MethodGet, path: "/qr-sessions", query: parameters, limits: s.client.apply(options).limits,
	}
	if err := s.client.do(ctx, r, page); err != nil {
		return nil, err
	}
	if page.Sessions == nil {
		return nil, s.client.lacking("sessions")
	}
	return page, nil
}

// Cancel ends a login that has not ended yet.
func (s *LoginService) Cancel(ctx context.Context, id string, options ...RequestOption) error {
	r := request{
		method: http.MethodDelete, path: loginPath(id), mayBeEmpty: true, limits: s.client.apply(options).limits,
	}
	return s.client.do(ctx, r, nil)
}

func loginPath(id string) string { return "/qr-sessions/" + url.PathEscape(id) }

// LoginDetail is the detail of the page's confirmed event, which the page passes to your server.
type LoginDetail struct {
	SessionID string `json:"sessionId"`
	Payload   string `json:"payload"`
	Salt      string `json:"salt"`
	Proof     string `json:"proof"`
}

// LoginExpectation is what a proof must match.
type LoginExpectation struct {
	// Origin is your page's origin, such as https://shop.example.
	Origin string
	// FindKey finds the key that signed the proof.
	FindKey FindKey
	// Context is the text with which your server created the login. It is empty if there was none.
	Context string
	// OpenedByServer says that your server created this login itself, with [LoginService.Create], for the browser that
	// you log in, and took the SessionID from its own record of that browser. Payload and Salt may then both be empty.
	// Never set it for a SessionID from a request: the id is visible on a screen, so a stranger may have it.
	OpenedByServer bool
}

// FindKey returns the registered key with this id, or nil if there is none. Look in a table that only users
// who are logged in to your app can add keys to. Return an error only if you cannot look it up: the login is
// then answered with 500.
type FindKey func(ctx context.Context, keyID string) (*RegisteredKey, error)

// RegisteredKey is the public key of a user's phone.
type RegisteredKey struct {
	// PublicKey is the value that the phone's SDK returned: SubjectPublicKeyInfo in DER and Base64. PEM is also
	// accepted.
	PublicKey string
	// UserID is your own id of the user, the one that the phone sends as its publicUserId.
	UserID string
	// Kind, RPID and Origin are those of [RegisteredAssociationKey]. Without a kind, the key is an app's; only a
	// passkey has RPID and Origin.
	Kind   AssociationKeyKind
	RPID   string
	Origin string
}

// Login says who confirmed a login.
type Login struct {
	UserID string
	KeyID  string
}

// Verify checks who confirmed a login, and that this browser presented its payload or, with OpenedByServer,
// that the proof of a login without a payload is true. It does not mark the login as used: log a user in only
// once for each SessionID, as [Client.LoginHandler] does.
//
// The error is a [LoginVerificationError], or describes a problem with the configuration or FindKey.
func (s *LoginService) Verify(
	ctx context.Context, detail LoginDetail, expected LoginExpectation,
) (*Login, error) {
	switch {
	case s.client.appKey == "":
		return nil, errors.New("countersign: verifying logins needs Config.AppKey")
	case expected.Origin == "" || expected.FindKey == nil:
		return nil, errors.New("countersign: verifying logins needs Origin and FindKey")
	}
	if err := checkOrigin(expected.Origin); err != nil {
		return nil, err
	}
	now := func() time.Time { return s.client.time(ctx) }
	return verifyProof(ctx, s.client.appKey, detail, expected, now)
}
