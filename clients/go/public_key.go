package countersign

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// Errors in FindKey's result. They are not the browser's fault, so they do not refuse a login.
var (
	errKeyForm  = errors.New("countersign: FindKey returned a key that is not a P-256 public key in Base64 or PEM")
	errKeyKind  = errors.New("countersign: FindKey returned a key of a kind that this version does not know")
	errPasskey  = errors.New("countersign: FindKey returned a passkey without RPID or Origin")
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
	// A database may find ids case-insensitively.
	if protocol.Thumbprint(point) != keyID {
		return nil, errKeyOther
	}
	return key, nil
}
