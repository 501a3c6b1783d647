//go:build !go1.26

package countersigntest

import "errors"

func seal(_, _, _ []byte) ([]byte, error) {
	return nil, errors.New("countersigntest: sealing a payload needs Go 1.26 or later, whose standard library has HPKE")
}
