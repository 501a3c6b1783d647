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
	// keysTimeout is shorter than the ten seconds that the service waits for the answer to a webhook.
	keysTimeout = 5 * time.Second
	// staleKeys is how long keys stay usable while newer ones cannot be fetched.
	staleKeys = 24 * time.Hour
)

// keySet caches the service's public keys by key id, for as long as their Cache-Control allows.
type keySet struct {
	refetch time.Duration
	timeout time.Duration
	now     func() time.Duration
	fetch   func(context.Context) (publicKeys, time.Duration, error)

	mutex   sync.Mutex
	keys    publicKeys
	fresh   time.Duration // the end of the time that the service allows
	usable  time.Duration // the end of the time in which the keys count while newer ones cannot be fetched
	tried   bool
	triedAt time.Duration
	flight  *flight // the fetch under way, or nil
}

// publicKeys maps key ids to keys. A key that cannot be read is nil.
type publicKeys map[string]*ecdsa.PublicKey

// flight is a fetch that concurrent callers share.
type flight struct {
	done chan struct{}
	err  error // set before done is closed
}

func newKeySet(
	refetch, timeout time.Duration, now func() time.Duration,
	fetch func(context.Context) (publicKeys, time.Duration, error),
) *keySet {
	return &keySet{refetch: refetch, timeout: timeout, now: now, fetch: fetch}
}

// find returns the key, or nil if the service has no such key. It fails with a KeysUnavailableError if it
// cannot find out.
func (k *keySet) find(ctx context.Context, kid string) (*ecdsa.PublicKey, error) {
	for {
		if key := k.known(kid, freshKeys); key != nil {
			return key, nil
		}
		started, err := k.load(ctx)
		if err != nil {
			if key := k.known(kid, usableKeys); key != nil {
				return key, nil
			}
			return nil, &KeysUnavailableError{err}
		}
		key := k.known(kid, freshKeys)
		// Another caller's fetch began before this request, so it does not prove that the key does not exist.
		if key == nil && !started {
			continue
		}
		if key == nil && k.isUnreadable(kid) {
			// This is not treated as a forgery: the service sends the webhook again, and may have published the key by
			// then.
			return nil, &KeysUnavailableError{errors.New("the published key cannot be read")}
		}
		return key, nil
	}
}

// refresh fetches the keys, unless they were fetched a moment ago.
func (k *keySet) refresh(ctx context.Context) error {
	_, err := k.load(ctx)
	return err
}

// keyAge says until when keys are valid.
type keyAge int

const (
	freshKeys keyAge = iota
	usableKeys
)

func (k *keySet) known(kid string, age keyAge) *ecdsa.PublicKey {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	until := k.fresh
	if age == usableKeys {
		until = k.usable
	}
	if k.now() >= until {
		return nil
	}
	return k.keys[kid]
}

func (k *keySet) isUnreadable(kid string) bool {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	key, published := k.keys[kid]
	return published && key == nil
}

// load waits for the fetch in progress or starts one, and reports which.
func (k *keySet) load(ctx context.Context) (started bool, err error) {
	k.mutex.Lock()
	shared := k.flight
	if shared == nil {
		// Strangers can send any key id, so not every unknown id triggers a fetch.
		if k.tried && k.now()-k.triedAt < k.refetch {
			k.mutex.Unlock()
			return false, errors.New("fetched a moment ago")
		}
		started = true
		shared = &flight{done: make(chan struct{})}
		k.flight, k.tried, k.triedAt = shared, true, k.now()
		// If this caller stops waiting, the fetch continues for the others.
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
	ctx, cancel := context.WithTimeout(ctx, k.timeout)
	defer cancel()
	keys, maxAge, err := k.fetch(ctx)
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if err == nil {
		// Not shorter than the time until the next fetch is allowed.
		k.keys, k.fresh = keys, k.now()+max(maxAge, k.refetch)
		k.usable = max(k.fresh, k.now()+staleKeys)
	}
	k.flight, shared.err = nil, err
	close(shared.done)
}
