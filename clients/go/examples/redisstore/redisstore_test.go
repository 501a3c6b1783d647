package redisstore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/internal/storetest"
)

// fakeRedis supports the commands that the store sends.
type fakeRedis struct {
	clock *storetest.Clock
	mutex sync.Mutex
	keys  map[string]fakeValue
}

type fakeValue struct {
	text  string
	until time.Duration
}

func (r *fakeRedis) do(_ context.Context, args ...any) (any, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	key := args[1].(string)
	value, exists := r.keys[key]
	if exists && r.clock.Now() >= value.until {
		delete(r.keys, key)
		exists = false
	}
	options := args[min(3, len(args)):]
	switch {
	case args[0] == "GET" && exists:
		return value.text, nil
	case args[0] == "GET":
		return nil, nil
	case args[0] == "DEL":
		delete(r.keys, key)
		return int64(1), nil
	case args[0] == "SET" && slices.Equal(options, []any{"XX", "KEEPTTL"}):
		if !exists {
			return nil, nil
		}
		r.keys[key] = fakeValue{args[2].(string), value.until}
		return "OK", nil
	case args[0] == "SET" && len(options) == 2 && options[0] == "PX":
		ttl := time.Duration(options[1].(int64)) * time.Millisecond
		r.keys[key] = fakeValue{args[2].(string), r.clock.Now() + ttl}
		return "OK", nil
	case args[0] == "SET" && len(options) == 3 && options[0] == "NX" && options[1] == "PX":
		if exists {
			return nil, nil
		}
		ttl := time.Duration(options[2].(int64)) * time.Millisecond
		r.keys[key] = fakeValue{args[2].(string), r.clock.Now() + ttl}
		return "OK", nil
	default:
		return nil, fmt.Errorf("ERR syntax error: %v", args)
	}
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock *storetest.Clock) countersign.Store {
		redis := &fakeRedis{clock: clock, keys: make(map[string]fakeValue)}
		return &Store{Do: redis.do}
	})
}
