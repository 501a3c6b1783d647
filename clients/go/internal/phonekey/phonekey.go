// Package phonekey signs data as phones do. Only tests use it.
package phonekey

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// Key is a phone's association key. An attacker's key can sign anything.
type Key struct {
	secret *ecdsa.PrivateKey
	// ID is the key's thumbprint, which proofs contain as kid.
	ID string
	// PublicKey is the public half in the form in which a phone passes it on: SubjectPublicKeyInfo in Base64.
	PublicKey string
}

// New returns a new key.
func New() (*Key, error) {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	point, err := secret.PublicKey.ECDH()
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(&secret.PublicKey)
	if err != nil {
		return nil, err
	}
	return &Key{secret, protocol.Thumbprint(point), base64.StdEncoding.EncodeToString(der)}, nil
}

// Proof contains the facts about one confirmation.
type Proof struct {
	AppKey, Origin, SessionID string
	// UserID is the user id that the phone sent when it opened the login. It is empty if the phone sent none.
	UserID  string
	Context string
	Salt    []byte
	Payload string
	At      time.Time
}

// Claims returns the claims of a proof.
func (p Proof) Claims() map[string]any {
	claims := map[string]any{
		"act": "confirm", "app": p.AppKey, "aud": p.Origin, "jti": p.SessionID,
		"iat": p.At.Unix(), "exp": p.At.Unix() + 300, "pay": protocol.PayHash(p.Salt, p.Payload),
	}
	if p.UserID != "" {
		claims["sub"] = p.UserID
	}
	if p.Context != "" {
		claims["ctx"] = protocol.ContextHash(p.Context)
	}
	return claims
}

// Prove returns a proof as a phone signs it.
func (k *Key) Prove(proof Proof) (string, error) {
	return k.SignJWT(protocol.ProofHeader(k.ID), proof.Claims())
}

// SignJWT signs an arbitrary header and arbitrary claims.
func (k *Key) SignJWT(header string, claims any) (string, error) {
	text, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	return k.SignText(protocol.Base64URL([]byte(header)) + "." + protocol.Base64URL(text))
}

// SignText returns the text, a dot, and the two integers of its signature.
func (k *Key) SignText(text string) (string, error) {
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, k.secret, digest[:])
	if err != nil {
		return "", err
	}
	signature := append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	return text + "." + protocol.Base64URL(signature), nil
}

// SignRegistration returns the signature with which the key is registered for a user of an app.
func (k *Key) SignRegistration(appKey, userID string) (string, error) {
	text := fmt.Sprintf("countersign-association-key/1\n%s\n%s", appKey, userID)
	digest := sha256.Sum256([]byte(text))
	signature, err := ecdsa.SignASN1(rand.Reader, k.secret, digest[:])
	return base64.StdEncoding.EncodeToString(signature), err
}
