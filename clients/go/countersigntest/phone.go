package countersigntest

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/internal/access"
	"github.com/countersign/countersign/clients/go/internal/phonekey"
	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// Phone is a phone with the app and a key. Its methods are safe for concurrent use.
type Phone struct {
	client  *countersign.Client
	service access.Client
	key     *phonekey.Key
	userID  string
}

// NewPhone returns a phone with a new key, on which this user is logged in to the app. The client must have a test
// key and an AppKey.
//
// The key is not registered yet. Register it, or make your server find it. Without either, a confirmation by
// the phone behaves as with a wrong key.
func NewPhone(client *countersign.Client, userID string) (*Phone, error) {
	service, err := testService(client)
	if err != nil {
		return nil, err
	}
	if userID == "" {
		return nil, errors.New("countersigntest: a phone needs a user")
	}
	if service.AppKey == "" {
		return nil, errors.New("countersigntest: a phone needs a client with Config.AppKey")
	}
	key, err := phonekey.New()
	if err != nil {
		return nil, err
	}
	return &Phone{client: client, service: service, key: key, userID: userID}, nil
}

// testService returns the parts of a client that tests use, if the client has a test key.
func testService(client *countersign.Client) (access.Client, error) {
	if client == nil {
		return access.Client{}, errors.New("countersigntest: the client is nil")
	}
	service := access.Of(client)
	if !strings.HasPrefix(service.APIKey, "cs_test_") {
		return access.Client{}, errors.New("countersigntest: the client's APIKey is no test key (cs_test_…): " +
			"tests must not reach real logins")
	}
	return service, nil
}

// UserID returns the user's id.
func (p *Phone) UserID() string { return p.userID }

// KeyID returns the id of the phone's key, as proofs contain it.
func (p *Phone) KeyID() string { return p.key.ID }

// PublicKey returns the public half of the phone's key, as the SDK passes it to your server.
func (p *Phone) PublicKey() string { return p.key.PublicKey }

// FindKey is a [countersign.FindKey] that finds only this phone's key.
func (p *Phone) FindKey(_ context.Context, keyID string) (*countersign.RegisteredKey, error) {
	if keyID != p.key.ID {
		return nil, nil
	}
	return &countersign.RegisteredKey{PublicKey: p.key.PublicKey, UserID: p.userID}, nil
}

// Registration returns what the phone passes to your server, which registers it: the public key, and the
// signature that proves possession of the private half.
func (p *Phone) Registration() (countersign.RegisterAssociationKeyRequest, error) {
	signature, err := p.key.SignRegistration(p.service.AppKey, p.userID)
	return countersign.RegisterAssociationKeyRequest{
		PublicUserID: p.userID, PublicKey: p.key.PublicKey, Signature: signature,
	}, err
}

// Register registers the phone's key with the service, where it is valid only for tests, for one day.
func (p *Phone) Register(ctx context.Context) error {
	registration, err := p.Registration()
	if err != nil {
		return err
	}
	_, err = p.client.AssociationKeys.Register(ctx, registration)
	return err
}

// OpenOption changes how a phone opens a link.
type OpenOption func(*openOptions)

type openOptions struct {
	userID           string
	allowUnencrypted bool
}

// As makes the phone send another user id, or none if the id is empty.
func As(userID string) OpenOption { return func(o *openOptions) { o.userID = userID } }

// AllowUnencrypted makes the phone open logins of browsers without a key (qrp_…), as apps may be configured to
// do.
func AllowUnencrypted() OpenOption { return func(o *openOptions) { o.allowUnencrypted = true } }

// Open opens a login's link, as if the phone had scanned it, and verifies the service's answer. A
// [RefusedError] means that a phone would show nothing; a [countersign.ProblemError] means that the service
// refused.
func (p *Phone) Open(ctx context.Context, link string, options ...OpenOption) (*Opened, error) {
	chosen := openOptions{userID: p.userID}
	for _, option := range options {
		option(&chosen)
	}
	id, err := parseLink(link)
	if err != nil {
		return nil, err
	}
	if isPlain(id) && !chosen.allowUnencrypted {
		return nil, &RefusedError{PlainRefused}
	}
	var token [32]byte
	if _, err := rand.Read(token[:]); err != nil {
		return nil, err
	}
	opened := &Opened{SessionID: id, phone: p, userID: chosen.userID, token: protocol.Base64URL(token[:])}
	if err := opened.initiate(ctx); err != nil {
		return nil, err
	}
	return opened, nil
}
