package countersign

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

const (
	maxJWT         = 2048
	maxByPasskey   = 2560
	proofLifetime  = 300 // seconds
	proofTolerance = 60 * time.Second
)

func refuse(reason string) error { return &LoginVerificationError{reason} }

// verifyProof follows the list in docs/logins.md. The proof's lifetime is checked at the time that now
// returns.
func verifyProof(
	ctx context.Context, appKey string, detail LoginDetail, expected LoginExpectation, now func() time.Time,
) (*Login, error) {
	keyID, err := proofKeyID(detail.Proof)
	if err != nil {
		return nil, err
	}
	registered, err := expected.FindKey(ctx, keyID)
	if err != nil {
		return nil, err
	}
	if registered == nil {
		return nil, refuse("the key is unknown")
	}
	key, err := parsePublicKey(registered.PublicKey, keyID)
	if err != nil {
		return nil, err
	}
	claims, err := provenClaims(detail.Proof, key, registered, expected.Origin, now)
	if err != nil {
		return nil, err
	}
	if err := checkClaims(claims, appKey, detail, expected, registered.UserID); err != nil {
		return nil, err
	}
	return &Login{UserID: registered.UserID, KeyID: keyID}, nil
}

// proofKeyID returns the id of the key that a proof contains. The whole header is compared, which refuses
// other spellings and other members, such as crit.
func proofKeyID(proof string) (string, error) {
	maxLength, headerOf := maxJWT, protocol.ProofHeader
	if isByPasskey(proof) {
		maxLength, headerOf = maxByPasskey, protocol.PasskeyProofHeader
	}
	if len(proof) > maxLength {
		return "", refuse("the proof is too long")
	}
	encoded, _, _ := strings.Cut(proof, ".")
	text, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	var header struct{ Kid string }
	if err != nil || json.Unmarshal(text, &header) != nil {
		return "", refuse("the proof is malformed")
	}
	if encoded != protocol.Base64URL([]byte(headerOf(header.Kid))) {
		return "", refuse("the header is not that of a proof")
	}
	return header.Kid, nil
}

// isByPasskey reports whether a proof has the five parts of one that a passkey signed.
func isByPasskey(proof string) bool { return strings.Count(proof, ".") == 4 }

// provenClaims returns the claims of a proof that this key signed in the form of its kind.
func provenClaims(
	proof string, key *ecdsa.PublicKey, registered *RegisteredKey, origin string, now func() time.Time,
) (jwt.MapClaims, error) {
	switch registered.Kind {
	case "", AssociationKeyKindApp, AssociationKeyKindBrowser:
		if isByPasskey(proof) {
			return nil, refuse("the proof has another form than those of its key")
		}
		return signedClaims(proof, key, origin, now)
	case AssociationKeyKindPasskey:
		if registered.RPID == "" || registered.Origin == "" {
			return nil, errPasskey
		}
		if !isByPasskey(proof) {
			return nil, refuse("the proof has another form than those of its key")
		}
		claims, err := claimsByPasskey(proof, key, registered)
		if err != nil {
			return nil, err
		}
		return claims, checkTimes(claims, now())
	default:
		return nil, errKeyKind
	}
}

// checkTimes checks what signedClaims leaves to its library.
func checkTimes(claims jwt.MapClaims, now time.Time) error {
	iat, issued := claims["iat"].(float64)
	exp, expires := claims["exp"].(float64)
	at, tolerance := float64(now.UnixNano())/1e9, proofTolerance.Seconds()
	switch {
	case !issued || !expires:
		return refuse("the claims are not those of a proof")
	case iat > at+tolerance:
		return refuse("from the future")
	case exp <= at-tolerance:
		return refuse("the proof has expired")
	default:
		return nil
	}
}

// signedClaims returns the claims of a JWT that this key signed and that is valid now.
func signedClaims(
	proof string, key *ecdsa.PublicKey, origin string, now func() time.Time,
) (jwt.MapClaims, error) {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(proof, claims,
		func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithStrictDecoding(), jwt.WithAudience(origin),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(proofTolerance),
		jwt.WithTimeFunc(now))
	switch {
	case err == nil:
		return claims, nil
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return nil, refuse("the signature is invalid")
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return nil, refuse("for another origin")
	case errors.Is(err, jwt.ErrTokenExpired):
		return nil, refuse("the proof has expired")
	case errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return nil, refuse("from the future")
	default:
		return nil, refuse("the proof is malformed")
	}
}

func checkClaims(
	claims jwt.MapClaims, appKey string, detail LoginDetail, expected LoginExpectation, owner string,
) error {
	pay, err := payHash(detail.Payload, detail.Salt)
	withoutPayload := expected.OpenedByServer && detail.Payload == "" && detail.Salt == ""
	if err != nil && !withoutPayload {
		return err
	}
	sub, named := claims["sub"]
	names := []string{"act", "app", "aud", "exp", "iat", "jti", "pay"}
	if named {
		names = append(names, "sub")
	}
	if expected.Context != "" {
		names = append(names, "ctx")
	}
	iat, _ := claims["iat"].(float64)
	exp, _ := claims["exp"].(float64)
	switch {
	case !hasExactly(claims, names):
		return refuse("the claims are not those of a proof")
	case claims["app"] != appKey:
		return refuse("for another app")
	case claims["aud"] != expected.Origin:
		return refuse("for another origin")
	case claims["jti"] != detail.SessionID:
		return refuse("for another session")
	case claims["act"] != "confirm":
		return refuse("for another action")
	case iat != float64(int64(iat)) || exp-iat != proofLifetime:
		return refuse("the lifetime is not that of a proof")
	case named && sub != owner:
		return refuse("the key belongs to another user")
	case expected.Context != "" && !same(claims["ctx"], protocol.ContextHash(expected.Context)):
		return refuse("for another context")
	case withoutPayload && !isHash(claims["pay"]):
		return refuse("the claims are not those of a proof")
	case !withoutPayload && !same(claims["pay"], pay):
		return refuse("for another payload")
	default:
		return nil
	}
}

func hasExactly(claims jwt.MapClaims, names []string) bool {
	for _, name := range names {
		if _, present := claims[name]; !present {
			return false
		}
	}
	return len(claims) == len(names)
}

// payHash returns the pay claim for a payload and its salt.
func payHash(payload, salt string) (string, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(salt)
	if err != nil || len(raw) != 16 || protocol.Base64URL(raw) != salt {
		return "", refuse("the salt is malformed")
	}
	return protocol.PayHash(raw, payload), nil
}

// isHash reports whether a claim has the form of a SHA-256 hash.
func isHash(claim any) bool {
	text, _ := claim.(string)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) == sha256.Size && protocol.Base64URL(raw) == text
}

// same compares in constant time.
func same(claim any, expected string) bool {
	text, _ := claim.(string)
	return subtle.ConstantTimeCompare([]byte(text), []byte(expected)) == 1
}
