// Package redisstore is a countersign.Store in Redis. Copy it into your service.
//
// Redis has no transaction with the effects of act: if the process dies between act and the mark, act runs
// again. If that matters, use SQL, or make act harmless to repeat.
package redisstore

import (
	"context"
	"errors"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

// Store is a countersign.Store.
type Store struct {
	// Do sends a command and returns nil for a nil reply. With go-redis:
	//
	//	func(ctx context.Context, args ...any) (any, error) {
	//		reply, err := client.Do(ctx, args...).Result()
	//		if errors.Is(err, redis.Nil) {
	//			err = nil
	//		}
	//		return reply, err
	//	}
	Do func(ctx context.Context, args ...any) (any, error)
}

// lease bounds how long an act may take. The service waits ten seconds for an answer.
const lease = 30 * time.Second

// Remember stores the id as pending, unless it is known.
func (s *Store) Remember(ctx context.Context, id string, ttl time.Duration) error {
	_, err := s.Do(ctx, "SET", "countersign:"+id, "pending", "NX", "PX", ttl.Milliseconds())
	return err
}

// Accept runs act under a lock. A second request for the same id fails meanwhile, and is sent again.
func (s *Store) Accept(
	ctx context.Context, id string, act func(context.Context) error,
) (countersign.Outcome, error) {
	key, lock := "countersign:"+id, "countersign:lock:"+id
	locked, err := s.Do(ctx, "SET", lock, "1", "NX", "PX", lease.Milliseconds())
	if err != nil {
		return countersign.Unknown, err
	}
	if locked == nil {
		return countersign.Unknown, errors.New("another request for this id is under way")
	}
	defer s.Do(context.WithoutCancel(ctx), "DEL", lock)
	state, err := s.Do(ctx, "GET", key)
	switch {
	case err != nil || state == nil:
		return countersign.Unknown, err
	case state == "accepted":
		return countersign.Repeated, nil
	}
	if err := act(ctx); err != nil {
		return countersign.Unknown, err
	}
	_, err = s.Do(context.WithoutCancel(ctx), "SET", key, "accepted", "XX", "KEEPTTL")
	return countersign.Accepted, err
}
