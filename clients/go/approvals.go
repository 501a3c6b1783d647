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

// ApprovalService has a user approve something on their phone, such as a payment. It needs [Config].AppKey.
type ApprovalService struct{ client *Client }

// ApprovalRequest says who must approve what.
type ApprovalRequest struct {
	// Origin is your page's origin, such as https://shop.example. It must be one of the app's.
	Origin string
	// Context is the text that the person sees and approves: at most 12 lines and 1,024 bytes. Start normalizes it
	// (NFC), and the result has it as it was shown.
	Context string
	// UserID is your own id of the user, the one that the phone names as its publicUserId. Only a phone of this
	// user can decide.
	UserID string
	// OnStarted writes your record of the approval. It runs before Start returns, and so before the user can decide.
	// The context has what the [Store] adds to it: with a store in SQL, its transaction, so that your record and
	// what the store remembers are committed together. If it fails, nothing is remembered, and Start returns the
	// error. It may be nil.
	OnStarted func(ctx context.Context, approval *Approval) error
}

// Approval is an approval that waits for its user.
type Approval struct {
	// ID is for your own record, and for [ApprovalService.Result]. It proves nothing: it stands on a screen.
	ID string
	// Session is for your page, as JSON. Send nothing else of the approval there.
	Session ApprovalSession
	// ExpiresIn is the number of seconds within which a phone must open it.
	ExpiresIn int64
	ExpiresAt time.Time
}

// ApprovalSession is what the element gets as its attribute session:
//
//	<countersign-login session="…">
//
// Its token can watch and show the approval, but not redeem it. Give it to the browser that started the
// approval, and keep it out of logs.
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

// Start asks a user to approve something. Store the answer's ID with what the user approves, by OnStarted, show
// its Session in your page, and ask for the outcome with [ApprovalService.Result]. The client's [Store] remembers
// the approval and its user.
func (s *ApprovalService) Start(
	ctx context.Context, request ApprovalRequest, options ...RequestOption,
) (*Approval, error) {
	settings := s.client.apply(options)
	if err := s.check(request, settings); err != nil {
		return nil, err
	}
	// Only the public half is used: nothing is sealed for the server, which reads the proof with its API key.
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
