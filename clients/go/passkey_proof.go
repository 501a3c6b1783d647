package countersign

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// Flags of authenticator data.
const (
	userPresent    = 1
	userVerified   = 1 << 2
	backupEligible = 1 << 3
	backedUp       = 1 << 4
	attested       = 1 << 6
)

// minAuthenticatorData is the length of hash, flags and counter.
const minAuthenticatorData = 37

// claimsByPasskey returns the claims of a proof that this passkey signed: header, claims, authenticator data, client
// data and signature. The claims are not checked.
func claimsByPasskey(proof string, key *ecdsa.PublicKey, registered *RegisteredKey) (jwt.MapClaims, error) {
	texts := strings.Split(proof, ".")
	var parts [4][]byte
	for i := range parts {
		raw, err := base64.RawURLEncoding.Strict().DecodeString(texts[i+1])
		if err != nil || protocol.Base64URL(raw) != texts[i+1] {
			return nil, refuse("the proof is malformed")
		}
		parts[i] = raw
	}
	claims, authenticatorData, clientData, signature := parts[0], parts[1], parts[2], parts[3]
	challenge := protocol.Hash("countersign/webauthn/1\x00", texts[0], ".", texts[1])
	if err := checkClientData(clientData, challenge, registered.Origin); err != nil {
		return nil, err
	}
	if err := checkAuthenticatorData(authenticatorData, registered.RPID); err != nil {
		return nil, err
	}
	// The signature is over the bytes that the browser hashed, not over JSON written again.
	hash := sha256.Sum256(clientData)
	signed := sha256.Sum256(append(bytes.Clone(authenticatorData), hash[:]...))
	if !ecdsa.VerifyASN1(key, signed[:], signature) {
		return nil, refuse("the signature is invalid")
	}
	members, err := distinctMembers(claims)
	if err != nil {
		return nil, refuse("the claims are not those of a proof")
	}
	return members, nil
}

func checkClientData(clientData []byte, challenge, origin string) error {
	members, err := distinctMembers(clientData)
	if err != nil {
		return refuse("the client data is malformed")
	}
	crossOrigin, crossed := members["crossOrigin"]
	_, framed := members["topOrigin"]
	switch {
	case members["type"] != "webauthn.get":
		return refuse("not an assertion of a passkey")
	case members["challenge"] != challenge:
		return refuse("the passkey signed something else")
	case members["origin"] != origin:
		return refuse("the passkey was used on another page")
	case framed || crossed && crossOrigin != false:
		return refuse("the passkey was used in a frame of another site")
	default:
		return nil
	}
}

func checkAuthenticatorData(data []byte, rpID string) error {
	if len(data) < minAuthenticatorData {
		return refuse("the authenticator data is too short")
	}
	hash, flags := sha256.Sum256([]byte(rpID)), data[32]
	switch {
	case !bytes.Equal(data[:32], hash[:]):
		return refuse("the passkey belongs to another domain")
	case flags&userPresent == 0 || flags&userVerified == 0:
		return refuse("the phone did not verify its user")
	case flags&backedUp != 0 && flags&backupEligible == 0:
		return refuse("the passkey was copied although it cannot be")
	case flags&attested != 0:
		return refuse("not an assertion of a passkey")
	default:
		return nil
	}
}

var errNotDistinct = errors.New("not a JSON object with distinct members")

// distinctMembers returns the members of a JSON object. [json.Unmarshal] would keep the last of two members with one
// name, and other verifiers the first.
func distinctMembers(text []byte) (map[string]any, error) {
	if !utf8.Valid(text) {
		return nil, errNotDistinct
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return nil, errNotDistinct
	}
	members := map[string]any{}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		var value any
		if err := decoder.Decode(&value); err != nil {
			return nil, err
		}
		text, _ := name.(string)
		if _, present := members[text]; present {
			return nil, errNotDistinct
		}
		members[text] = value
	}
	if _, err := decoder.Token(); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotDistinct
	}
	return members, nil
}
