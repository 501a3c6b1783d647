package countersign

import (
	"context"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const (
	defaultKeyMaxAge = 5 * time.Minute
	maxKeySet        = 64 << 10
)

// fetchKeys requests the service's keys without a retry, because the service sends the waiting webhook again
// anyway.
func (c *Client) fetchKeys(ctx context.Context) (publicKeys, time.Duration, error) {
	call, err := http.NewRequestWithContext(ctx, http.MethodGet, c.baseURL+"/.well-known/jwks.json", nil)
	if err != nil {
		return nil, 0, c.noAnswer(err)
	}
	response, err := c.http.Do(call)
	if err != nil {
		return nil, 0, c.noAnswer(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, 0, c.noAnswer(fmt.Errorf("status %d", response.StatusCode))
	}
	var document struct {
		Keys []json.RawMessage
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxKeySet)).Decode(&document); err != nil {
		return nil, 0, c.noAnswer(err)
	}
	if document.Keys == nil {
		return nil, 0, c.noAnswer(errors.New("not a key set"))
	}
	c.clock.learn(time.Time{}, response.Header)
	return decodeKeys(document.Keys), maxAge(response.Header.Get("Cache-Control")), nil
}

// decodeKeys returns the keys that sign webhooks. A key that cannot be read affects only itself: it is nil.
func decodeKeys(jwks []json.RawMessage) publicKeys {
	keys := make(publicKeys)
	for _, text := range jwks {
		var kind struct{ Kty, Crv, Kid string }
		if json.Unmarshal(text, &kind) != nil || kind.Kty != "EC" || kind.Crv != "P-256" || kind.Kid == "" {
			continue
		}
		var point struct{ X, Y string }
		err := json.Unmarshal(text, &point)
		if err == nil {
			var key *ecdsa.PublicKey
			if key, err = p256Key(point.X, point.Y); err == nil {
				keys[kind.Kid] = key
			}
		}
		if _, known := keys[kind.Kid]; err != nil && !known {
			keys[kind.Kid] = nil
		}
	}
	return keys
}

var maxAgePattern = regexp.MustCompile(`(?i)(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])`)

func maxAge(cacheControl string) time.Duration {
	found := maxAgePattern.FindStringSubmatch(cacheControl)
	if found == nil {
		return defaultKeyMaxAge
	}
	seconds, _ := strconv.Atoi(found[1]) // nine digits fit
	return time.Duration(seconds) * time.Second
}

func p256Key(xText, yText string) (*ecdsa.PublicKey, error) {
	x, err := base64.RawURLEncoding.DecodeString(xText)
	if err != nil {
		return nil, err
	}
	y, err := base64.RawURLEncoding.DecodeString(yText)
	if err != nil {
		return nil, err
	}
	point := append(append([]byte{4}, x...), y...)
	if _, err := ecdh.P256().NewPublicKey(point); err != nil { // not on the curve
		return nil, err
	}
	return &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}, nil
}
