//go:build go1.26

package countersigntest

import (
	"crypto/ecdh"
	"crypto/hpke"
)

// seal encrypts for a browser's key, as described in docs/logins.md.
func seal(browserKey, info, plain []byte) ([]byte, error) {
	point, err := ecdh.P256().NewPublicKey(browserKey)
	if err != nil {
		return nil, err
	}
	key, err := hpke.NewDHKEMPublicKey(point)
	if err != nil {
		return nil, err
	}
	return hpke.Seal(key, hpke.HKDFSHA256(), hpke.AES256GCM(), info, plain)
}
