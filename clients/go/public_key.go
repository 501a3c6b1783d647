package countersign

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
)

// Faults of what FindKey returns. They are not the browser's, so they refuse no login.
var (
	errKeyForm  = errors.New("countersign: FindKey returned a key that is not a P-256 public key in Base64 or PEM")
	errKeyOther = errors.New("countersign: FindKey returned a key with another id")
)

// parsePublicKey decodes a key that FindKey returned for this id.
func parsePublicKey(text, keyID string) (*ecdsa.PublicKey, error) {
	var der []byte
	if block, _ := pem.Decode([]byte(text)); block != nil {
		der = block.Bytes
	} else if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
		der = raw
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, errKeyForm
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errKeyForm
	}
	point, err := key.ECDH()
	if err != nil {
		return nil, errKeyForm
	}
	// A database may find keys by ids in another case.
	if thumbprint(point) != keyID {
		return nil, errKeyOther
	}
	return key, nil
}

// thumbprint returns the id of a P-256 key: its JWK thumbprint (RFC 7638).
func thumbprint(key *ecdh.PublicKey) string {
	point := key.Bytes() // 4, x and y
	x, y := base64url(point[1:33]), base64url(point[33:])
	return hash(`{"crv":"P-256","kty":"EC","x":"` + x + `","y":"` + y + `"}`)
}
