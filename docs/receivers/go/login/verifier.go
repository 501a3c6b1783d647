package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	maxProof       = 2048
	lifetime       = 300 // seconds
	clockTolerance = 60 * time.Second
)

// knownKey is a public key and the user whom it is registered for.
type knownKey struct {
	key   *ecdsa.PublicKey
	owner string
}

// verifier verifies the proofs of logins.
type verifier struct {
	appKey string
	origin string
	keys   map[string]knownKey
}

// readKeys reads the users' public keys, by key id. In a real service this is a table; see the
// README.
func readKeys(file string) (map[string]knownKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var entries []struct{ PublicUserID, PublicKey string }
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, err
	}
	keys := make(map[string]knownKey)
	for _, entry := range entries {
		der, err := base64.StdEncoding.DecodeString(entry.PublicKey)
		if err != nil {
			return nil, err
		}
		parsed, err := x509.ParsePKIXPublicKey(der)
		if err != nil {
			return nil, err
		}
		key, ok := parsed.(*ecdsa.PublicKey)
		if !ok || key.Curve != elliptic.P256() {
			return nil, errors.New("not a P-256 key")
		}
		keys[keyID(key)] = knownKey{key, entry.PublicUserID}
	}
	return keys, nil
}

// keyID returns the key's JWK thumbprint (RFC 7638).
func keyID(key *ecdsa.PublicKey) string {
	x, y := base64url(key.X.FillBytes(make([]byte, 32))), base64url(key.Y.FillBytes(make([]byte, 32)))
	digest := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`))
	return base64url(digest[:])
}

func base64url(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// headerOf returns the header of a proof by this key. Headers of proofs differ only in kid.
func headerOf(kid string) string {
	return base64url([]byte(`{"alg":"ES256","kid":"` + kid + `","typ":"countersign-login+jwt"}`))
}

// payOf computes the claim pay of a payload and its salt.
func payOf(payload, salt string) (string, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(salt)
	if err != nil || len(raw) != 16 {
		return "", refuse("the salt is malformed")
	}
	message := append(append([]byte("countersign/pay/1\x00"), raw...), payload...)
	digest := sha256.Sum256(message)
	return base64url(digest[:]), nil
}

// verify returns the user who confirmed the login. It fails if the proof breaks a rule.
func (v *verifier) verify(sessionID, payload, salt, proof string) (string, error) {
	if len(proof) > maxProof {
		return "", refuse("the proof is too long")
	}
	var known knownKey
	find := func(token *jwt.Token) (any, error) {
		kid, _ := token.Header["kid"].(string)
		found, ok := v.keys[kid]
		if !ok {
			return nil, errors.New("the key is unknown")
		}
		// Comparing the whole header refuses other spellings and other members, such as crit.
		if head, _, _ := strings.Cut(proof, "."); head != headerOf(kid) {
			return nil, errors.New("the header is not that of a proof")
		}
		known = found
		return found.key, nil
	}
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(proof, claims, find,
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithStrictDecoding(), jwt.WithAudience(v.origin),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(clockTolerance))
	if err != nil {
		return "", refuse(fmt.Sprintf("the proof is not valid: %v", err))
	}
	if err := v.check(claims, known, sessionID); err != nil {
		return "", err
	}
	pay, err := payOf(payload, salt)
	if err != nil {
		return "", err
	}
	found, _ := claims["pay"].(string)
	if subtle.ConstantTimeCompare([]byte(found), []byte(pay)) != 1 {
		return "", refuse("for another payload")
	}
	return known.owner, nil
}

func (v *verifier) check(claims jwt.MapClaims, known knownKey, sessionID string) error {
	sub, named := claims["sub"]
	names := 7 // act, app, aud, exp, iat, jti and pay; ctx too, if this page's logins had a context
	if named {
		names = 8
	}
	iat, _ := claims["iat"].(float64)
	exp, _ := claims["exp"].(float64)
	_, hasPay := claims["pay"]
	switch {
	case len(claims) != names || !hasPay:
		return refuse("the claims are not those of a proof")
	case claims["app"] != v.appKey:
		return refuse("for another app")
	case claims["aud"] != v.origin:
		return refuse("for another origin")
	case claims["jti"] != sessionID:
		return refuse("for another session")
	case claims["act"] != "confirm":
		return refuse("for another action")
	case iat != float64(int64(iat)) || exp-iat != lifetime:
		return refuse("the lifetime is not that of a proof")
	case named && sub != known.owner:
		return refuse("the key belongs to another user")
	default:
		return nil
	}
}
