package countersign

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"
)

const (
	testOrigin  = "https://shop.example"
	testSession = "qrs_abababababababababababababababab"
	testUser    = "zoe@example.com"
)

var testSalt = base64url([]byte("0123456789abcdef"))

// phone makes proofs. An attacker's can sign anything.
type phone struct {
	key     signingKey
	at      time.Time
	context string
}

func newPhone() *phone {
	key := newSigningKey("")
	key.id = thumbprintOf(key)
	return &phone{key: key, at: testTime}
}

func thumbprintOf(key signingKey) string {
	point, err := key.secret.PublicKey.ECDH()
	if err != nil {
		panic(err)
	}
	return thumbprint(point)
}

func (p *phone) publicKey() string {
	der, err := x509.MarshalPKIXPublicKey(&p.key.secret.PublicKey)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}

func (p *phone) claims() map[string]any {
	claims := map[string]any{
		"act": "confirm", "app": testAppKey, "aud": testOrigin, "jti": testSession, "sub": testUser,
		"iat": p.at.Unix(), "exp": p.at.Unix() + 300,
		"pay": hash("countersign/pay/1\x00", "0123456789abcdef", "a token"),
	}
	if p.context != "" {
		claims["ctx"] = contextHash(p.context)
	}
	return claims
}

func (p *phone) header() string {
	return `{"alg":"ES256","kid":"` + p.key.id + `","typ":"countersign-login+jwt"}`
}

func (p *phone) proof() string { return p.signed(p.header(), p.claims()) }

// signed signs any header and claims.
func (p *phone) signed(header string, claims any) string {
	text, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	return p.signedText(base64url([]byte(header)) + "." + base64url(text))
}

func (p *phone) signedText(input string) string {
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, p.key.secret, digest[:])
	if err != nil {
		panic(err)
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	return input + "." + base64url(signature)
}

func (p *phone) detail(proof string) LoginDetail {
	return LoginDetail{SessionID: testSession, Payload: "a token", Salt: testSalt, Proof: proof}
}

// expected accepts this phone as Zoe's.
func (p *phone) expected() LoginExpectation {
	return LoginExpectation{Origin: testOrigin, FindKey: p.findKey, Context: p.context}
}

func (p *phone) findKey(_ context.Context, keyID string) (*RegisteredKey, error) {
	if keyID != p.key.id {
		return nil, nil
	}
	return &RegisteredKey{PublicKey: p.publicKey(), UserID: testUser}, nil
}

func isRefused(err error) bool {
	var found *LoginVerificationError
	return errors.As(err, &found) && found.Reason != "" && !strings.Contains(found.Reason, "a token")
}
