// Package redisstore is a countersign.Store that uses Redis. Copy it into your service.
//
// Redis has no transaction that includes the effects of act: if the process dies between act and the mark,
// act runs again. If that matters, use SQL, or make act harmless to repeat.
package redisstore

import (
	"context"
	"errors"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

// Store is a countersign.Store.
type Store struct {
	// Do sends a command, and returns nil for a nil reply. With go-redis:
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

// lease is the maximum duration of an act. The service waits ten seconds for an answer.
const lease = 30 * time.Second

// Remember runs act under a lock and stores the id as pending, unless the id is known.
func (s *Store) Remember(
	ctx context.Context, id string, ttl time.Duration, act func(context.Context) error,
) (bool, error) {
	isNew := false
	err := s.alone(ctx, id, func(state any) error {
		if state != nil {
			return nil
		}
		if err := act(ctx); err != nil {
			return err
		}
		isNew = true
		_, err := s.Do(context.WithoutCancel(ctx), "SET", "countersign:"+id, "pending", "PX", ttl.Milliseconds())
		return err
	})
	return isNew, err
}

// Accept runs act under a lock. Meanwhile, a second request for the same id fails, and the service sends it
// again.
func (s *Store) Accept(
	ctx context.Context, id string, act func(context.Context) error,
) (countersign.Outcome, error) {
	outcome := countersign.Unknown
	err := s.alone(ctx, id, func(state any) error {
		switch state {
		case nil:
			return nil
		case "accepted":
			outcome = countersign.Repeated
			return nil
		}
		if err := act(ctx); err != nil {
			return err
		}
		outcome = countersign.Accepted
		_, err := s.Do(context.WithoutCancel(ctx), "SET", "countersign:"+id, "accepted", "XX", "KEEPTTL")
		return err
	})
	return outcome, err
}

// alone calls run with the state of the id, while no other process does the same.
func (s *Store) alone(ctx context.Context, id string, run func(state any) error) error {
	lock := "countersign:lock:" + id
	locked, err := s.Do(ctx, "SET", lock, "1", "NX", "PX", lease.Milliseconds())
	if err != nil {
		return err
	}
	if locked == nil {
		return errors.New("another request for this id is under way")
	}
	defer s.Do(context.WithoutCancel(ctx), "DEL", lock)
	state, err := s.Do(ctx, "GET", "countersign:"+id)
	if err != nil {
		return err
	}
	return run(state)
}
