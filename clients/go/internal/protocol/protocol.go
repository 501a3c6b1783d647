// Package protocol derives the values that browsers, phones, servers and the service all compute. docs/logins.md
// describes them.
package protocol

import (
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
)

// SessionID returns the id of a login whose browser has this key, an uncompressed point.
func SessionID(appKey, origin, context string, browserKey []byte) string {
	digest := sha256.New()
	for _, part := range []string{"countersign/login-id/1", appKey, origin, context, string(browserKey)} {
		digest.Write(Framed(part))
	}
	return "qrs_" + hex.EncodeToString(digest.Sum(nil)[:16])
}

// Framed concatenates texts, each after its length in two bytes.
func Framed(texts ...string) []byte {
	var framed []byte
	for _, text := range texts {
		framed = append(binary.BigEndian.AppendUint16(framed, uint16(len(text))), text...)
	}
	return framed
}

// ApprovalToken returns the browser token of an approval, which the server keeps to itself.
func ApprovalToken(apiKey string, browserKey []byte) []byte {
	mac := hmac.New(sha256.New, []byte(apiKey))
	mac.Write([]byte("countersign/approval-token/1\x00"))
	mac.Write(browserKey)
	return mac.Sum(nil)
}

// PageToken returns the token with which a page watches the login that has this browser token.
func PageToken(browserToken []byte) string {
	return Hash("countersign/login-page-token/1\x00", string(browserToken))
}

// ApprovalRecord returns the id under which a store records an approval by this user.
func ApprovalRecord(sessionID, userID string) string {
	return "apr_" + Hash("countersign/approval/1", string(Framed(sessionID, userID)))
}

// PayHash returns the pay claim for a payload and its salt.
func PayHash(salt []byte, payload string) string {
	return Hash("countersign/pay/1\x00", string(salt), payload)
}

// ContextHash returns the ctx claim for a context.
func ContextHash(context string) string { return Hash("countersign/ctx/1\x00", context) }

// Thumbprint returns the id of a P-256 key: its JWK thumbprint (RFC 7638).
func Thumbprint(key *ecdh.PublicKey) string {
	point := key.Bytes() // 4, x and y
	x, y := Base64URL(point[1:33]), Base64URL(point[33:])
	return Hash(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`)
}

// ProofHeader returns the header of proofs signed with the key that has this id.
func ProofHeader(keyID string) string {
	return `{"alg":"ES256","kid":"` + keyID + `","typ":"countersign-login+jwt"}`
}

// PasskeyProofHeader returns the only header that a passkey's proof may have.
func PasskeyProofHeader(keyID string) string {
	return `{"alg":"WebAuthn-ES256","kid":"` + keyID + `","typ":"countersign-login+webauthn"}`
}

// Hash returns the SHA-256 of the joined texts in base64url.
func Hash(parts ...string) string {
	digest := sha256.New()
	for _, part := range parts {
		digest.Write([]byte(part))
	}
	return Base64URL(digest.Sum(nil))
}

// Base64URL encodes without padding.
func Base64URL(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
