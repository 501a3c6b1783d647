package countersign

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"sync"
	"time"
)

const (
	defaultKeyRefetch = 10 * time.Second
	// keysTimeout is shorter than the ten seconds that the service waits for a webhook's answer.
	keysTimeout = 5 * time.Second
)

// keySet holds the service's public keys by key id, for as long as their Cache-Control allows.
type keySet struct {
	refetch time.Duration
	now     func() time.Duration
	fetch   func(context.Context) (publicKeys, time.Duration, error)

	mutex   sync.Mutex
	keys    publicKeys
	until   time.Duration
	tried   bool
	triedAt time.Duration
	flight  *flight // the fetch under way, or nil
}

type publicKeys map[string]*ecdsa.PublicKey

// flight is a fetch that all concurrent callers share.
type flight struct {
	done chan struct{}
	err  error // set before done is closed
}

func newKeySet(
	refetch time.Duration, now func() time.Duration, fetch func(context.Context) (publicKeys, time.Duration, error),
) *keySet {
	return &keySet{refetch: refetch, now: now, fetch: fetch}
}

// find returns the key, or nil if the service has no such key. It fails with a KeysUnavailableError if it
// cannot tell.
func (k *keySet) find(ctx context.Context, kid string) (*ecdsa.PublicKey, error) {
	for {
		if key := k.known(kid); key != nil {
			return key, nil
		}
		started, err := k.load(ctx)
		if err != nil {
			return nil, &KeysUnavailableError{err}
		}
		if started {
			return k.known(kid), nil
		}
		// Somebody else's fetch began before we asked, so it does not prove that the key does not exist.
		if key := k.known(kid); key != nil {
			return key, nil
		}
	}
}

// refresh fetches the keys, unless they have been fetched a moment ago.
func (k *keySet) refresh(ctx context.Context) error {
	_, err := k.load(ctx)
	return err
}

func (k *keySet) known(kid string) *ecdsa.PublicKey {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.now() >= k.until {
		return nil
	}
	return k.keys[kid]
}

// load waits for the fetch under way, or starts one, and says which.
func (k *keySet) load(ctx context.Context) (started bool, err error) {
	k.mutex.Lock()
	shared := k.flight
	if shared == nil {
		// Strangers can send any key id, so not every unknown one causes a fetch.
		if k.tried && k.now()-k.triedAt < k.refetch {
			k.mutex.Unlock()
			return false, errors.New("fetched a moment ago")
		}
		started = true
		shared = &flight{done: make(chan struct{})}
		k.flight, k.tried, k.triedAt = shared, true, k.now()
		// If this caller leaves, the fetch goes on for the others.
		go k.run(context.WithoutCancel(ctx), shared)
	}
	k.mutex.Unlock()
	select {
	case <-shared.done:
		return started, shared.err
	case <-ctx.Done():
		return started, ctx.Err()
	}
}

func (k *keySet) run(ctx context.Context, shared *flight) {
	ctx, cancel := context.WithTimeout(ctx, keysTimeout)
	defer cancel()
	keys, maxAge, err := k.fetch(ctx)
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if err == nil {
		// Not shorter than the time until the next fetch is allowed.
		k.keys, k.until = keys, k.now()+max(maxAge, k.refetch)
	}
	k.flight, shared.err = nil, err
	close(shared.done)
}
