package countersign

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// ApprovalService lets a user approve something on their phone, such as a payment. It needs [Config].AppKey.
type ApprovalService struct{ client *Client }

// ApprovalRequest says who must approve what.
type ApprovalRequest struct {
	// Origin is your page's origin, such as https://shop.example. The app must list it.
	Origin string
	// Context is the text that the user sees and approves: at most 12 lines and 1,024 bytes. Start normalizes it
	// (NFC), and the result contains it as it was shown.
	Context string
	// UserID is your own id of the user, the one that the phone sends as its publicUserId. Only a phone of this
	// user can decide.
	UserID string
	// OnStarted writes your record of the approval. It runs before Start returns, so the user cannot decide earlier.
	// The context contains what the [Store] adds to it: with an SQL store, its transaction, so that your record and
	// the store's data are committed together. If it fails, the store keeps nothing, and Start returns the error. It
	// may be nil.
	OnStarted func(ctx context.Context, approval *Approval) error
}

// Approval is an approval that its user has not decided yet.
type Approval struct {
	// ID is for your own record and for [ApprovalService.Result]. It proves nothing, because it is visible on a
	// screen.
	ID string
	// Session is for your page, encoded as JSON. Send the page no other part of the approval.
	Session ApprovalSession
	// ExpiresIn is the number of seconds within which a phone must open it.
	ExpiresIn int64
	ExpiresAt time.Time
}

// ApprovalSession is the value of the element's session attribute:
//
//	<countersign-login session="…">
//
// Its token can watch and show the approval, but cannot redeem it. Give it only to the browser that started
// the approval, and keep it out of logs.
type ApprovalSession struct {
	SessionID         string    `json:"sessionId"`
	URL               string    `json:"url"`
	Token             string    `json:"token"`
	SocketURL         string    `json:"socketUrl"`
	ExpiresAt         time.Time `json:"expiresAt"`
	ExpiresIn         int64     `json:"expiresIn"`
	ServerTime        time.Time `json:"serverTime"`
	CheckCodeRequired bool      `json:"checkCodeRequired,omitempty"`
}

// Start asks a user to approve something. Use OnStarted to store the answer's ID together with what the user
// approves. Show its Session in your page, and ask for the result with [ApprovalService.Result]. The client's
// [Store] records the approval and its user.
func (s *ApprovalService) Start(
	ctx context.Context, request ApprovalRequest, options ...RequestOption,
) (*Approval, error) {
	settings := s.client.apply(options)
	if err := s.check(request, settings); err != nil {
		return nil, err
	}
	// Only the public half is used: nothing is encrypted for the server, which reads the proof with its API key.
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("countersign: %w", err)
	}
	point, approved := key.PublicKey().Bytes(), norm.NFC.String(request.Context)
	token := protocol.ApprovalToken(s.client.apiKey, point)
	opened, err := s.client.Logins.open(ctx, protocol.Base64URL(token), CreateSessionRequest{
		BrowserPublicKey: protocol.Base64URL(point), Origin: request.Origin, Context: approved,
		PublicUserID: request.UserID,
	}, settings)
	if err != nil {
		return nil, err
	}
	id := protocol.SessionID(s.client.appKey, request.Origin, approved, point)
	if opened.SessionID != id || !protocol.IsLinkOf(opened.URL, id) {
		return nil, s.client.unexpected("the answer is about another login")
	}
	approval := &Approval{
		ID: id, ExpiresIn: opened.ExpiresIn, ExpiresAt: opened.ExpiresAt,
		Session: ApprovalSession{
			SessionID: id, URL: opened.URL, Token: protocol.PageToken(token), SocketURL: opened.SocketURL,
			ExpiresAt: opened.ExpiresAt, ExpiresIn: opened.ExpiresIn, ServerTime: opened.ServerTime,
			CheckCodeRequired: opened.CheckCodeRequired,
		},
	}
	act := noAct
	if request.OnStarted != nil {
		act = func(ctx context.Context) error { return request.OnStarted(ctx, approval) }
	}
	if err := s.client.rememberOnce(ctx, protocol.ApprovalRecord(id, request.UserID), webhookTTL, act); err != nil {
		return nil, err
	}
	return approval, nil
}

func (s *ApprovalService) check(request ApprovalRequest, settings requestSettings) error {
	switch {
	case s.client.appKey == "":
		return errors.New("countersign: approvals need Config.AppKey")
	case request.Origin == "" || request.Context == "" || request.UserID == "":
		return errors.New("countersign: an approval needs Origin, Context and UserID")
	case settings.err != nil:
		return settings.err
	case settings.onStarted != nil:
		return errors.New("countersign: WithOnStarted is for confirmations: use ApprovalRequest.OnStarted")
	case settings.idempotencyKey != "":
		return errors.New("countersign: WithIdempotencyKey is for confirmations")
	}
	return checkOrigin(request.Origin)
}
