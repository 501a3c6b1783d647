package countersign

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/countersign/countersign/clients/go/internal/phonekey"
	"github.com/countersign/countersign/clients/go/internal/protocol"
)

const (
	testOrigin  = "https://shop.example"
	testSession = "qrs_abababababababababababababababab"
	testUser    = "zoe@example.com"
	testPayload = "a token"
)

var (
	rawSalt  = []byte("0123456789abcdef")
	testSalt = protocol.Base64URL(rawSalt)
)

// phone generates proofs. An attacker's phone can sign anything.
type phone struct {
	key     *phonekey.Key
	at      time.Time
	context string
}

func newPhone() *phone { return &phone{key: must(phonekey.New()), at: testTime} }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func (p *phone) publicKey() string { return p.key.PublicKey }

func (p *phone) claims() map[string]any {
	return phonekey.Proof{
		AppKey: testAppKey, Origin: testOrigin, SessionID: testSession, UserID: testUser, Context: p.context,
		Salt: rawSalt, Payload: testPayload, At: p.at,
	}.Claims()
}

func (p *phone) header() string { return protocol.ProofHeader(p.key.ID) }

func (p *phone) proof() string { return p.signed(p.header(), p.claims()) }

// signed signs an arbitrary header and arbitrary claims.
func (p *phone) signed(header string, claims any) string { return must(p.key.SignJWT(header, claims)) }

func (p *phone) signedText(input string) string { return must(p.key.SignText(input)) }

func (p *phone) detail(proof string) LoginDetail {
	return LoginDetail{SessionID: testSession, Payload: testPayload, Salt: testSalt, Proof: proof}
}

// expected accepts this phone as Zoe's.
func (p *phone) expected() LoginExpectation {
	return LoginExpectation{Origin: testOrigin, FindKey: p.findKey, Context: p.context}
}

func (p *phone) findKey(_ context.Context, keyID string) (*RegisteredKey, error) {
	if keyID != p.key.ID {
		return nil, nil
	}
	return &RegisteredKey{PublicKey: p.publicKey(), UserID: testUser}, nil
}

func isRefused(err error) bool {
	var found *LoginVerificationError
	return errors.As(err, &found) && found.Reason != "" && !strings.Contains(found.Reason, testPayload)
}
