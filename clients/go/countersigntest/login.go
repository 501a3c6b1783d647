package countersigntest

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// StartLogin creates a login as a page with this origin would, so that a test can open its URL with a phone, and post
// what [Opened.Confirm] returns to your server as the page does. The client must have a test key.
func StartLogin(ctx context.Context, client *countersign.Client, origin string) (*countersign.NewSession, error) {
	if _, err := testService(client); err != nil {
		return nil, err
	}
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	var token [32]byte
	if _, err := rand.Read(token[:]); err != nil {
		return nil, err
	}
	return client.Logins.Create(ctx, protocol.Base64URL(token[:]), countersign.CreateSessionRequest{
		BrowserPublicKey: protocol.Base64URL(key.PublicKey().Bytes()), Origin: origin,
	})
}
