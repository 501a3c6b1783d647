package main

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
	"sync"
	"sync/atomic"
	"time"
)

const keysMaxAge = 5 * time.Minute

// keyRing holds the service's public keys by key id, as long as its Cache-Control allows.
type keyRing struct {
	url     string
	refetch time.Duration
	loaded  atomic.Pointer[keySet]

	fetching sync.Mutex
	triedAt  time.Time // guarded by fetching
}

type keySet struct {
	keys map[string]*ecdsa.PublicKey
	at   time.Time
}

func newKeyRing(baseURL string, refetch time.Duration) *keyRing {
	return &keyRing{url: baseURL + "/.well-known/jwks.json", refetch: refetch}
}

// find returns the key, or nil if the service has no such key. It fails if the keys cannot be fetched.
func (k *keyRing) find(ctx context.Context, kid string) (*ecdsa.PublicKey, error) {
	if key := k.known(kid); key != nil {
		return key, nil
	}
	k.fetching.Lock()
	defer k.fetching.Unlock()
	// Another request may have fetched while we waited.
	if key := k.known(kid); key != nil {
		return key, nil
	}
	// Anybody can send us invented key ids, so we do not fetch for each unknown one.
	if !k.triedAt.IsZero() && time.Since(k.triedAt) < k.refetch {
		return nil, errors.New("fetched a moment ago")
	}
	k.triedAt = time.Now()
	// If this caller hangs up, the fetch goes on for the others.
	keys, err := k.fetch(context.WithoutCancel(ctx))
	if err != nil {
		return nil, err
	}
	k.loaded.Store(&keySet{keys, time.Now()})
	return keys[kid], nil
}

func (k *keyRing) known(kid string) *ecdsa.PublicKey {
	set := k.loaded.Load()
	if set == nil || time.Since(set.at) >= keysMaxAge {
		return nil
	}
	return set.keys[kid]
}

func (k *keyRing) fetch(ctx context.Context) (map[string]*ecdsa.PublicKey, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, err
	}
	response, err := outgoing.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	var document struct {
		Keys []struct{ Kty, Crv, Kid, X, Y string }
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxBody)).Decode(&document); err != nil {
		return nil, err
	}
	if document.Keys == nil {
		return nil, errors.New("not a JWKS")
	}
	keys := make(map[string]*ecdsa.PublicKey)
	for _, jwk := range document.Keys {
		if jwk.Kty != "EC" || jwk.Crv != "P-256" {
			continue
		}
		key, err := publicKey(jwk.X, jwk.Y)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", jwk.Kid, err)
		}
		keys[jwk.Kid] = key
	}
	return keys, nil
}

func publicKey(xText, yText string) (*ecdsa.PublicKey, error) {
	x, err := base64.RawURLEncoding.DecodeString(xText)
	if err != nil {
		return nil, err
	}
	y, err := base64.RawURLEncoding.DecodeString(yText)
	if err != nil {
		return nil, err
	}
	point := append(append([]byte{4}, x...), y...)
	if _, err := ecdh.P256().NewPublicKey(point); err != nil { // Is it on the curve?
		return nil, err
	}
	return &ecdsa.PublicKey{
		Curve: elliptic.P256(),
		X:     new(big.Int).SetBytes(x),
		Y:     new(big.Int).SetBytes(y),
	}, nil
}
