package countersign

import (
	"context"
	"sync"
	"time"
)

// MemoryStore is a [Store] in the memory of this process. It forgets everything at a restart, and other
// processes do not see it: use it for trials and for services with a single process.
type MemoryStore struct {
	now func() time.Duration

	mutex   sync.Mutex
	entries map[string]*memoryEntry
	sweepAt time.Duration
}

type memoryEntry struct {
	until    time.Duration
	turn     chan struct{} // holds a value while an act runs
	accepted bool          // guarded by turn
}

const sweepInterval = time.Minute

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore { return newMemoryStore(monotonicClock()) }

func newMemoryStore(now func() time.Duration) *MemoryStore {
	return &MemoryStore{now: now, entries: make(map[string]*memoryEntry)}
}

// Remember implements [Store].
func (s *MemoryStore) Remember(_ context.Context, id string, ttl time.Duration) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := s.now()
	if now >= s.sweepAt {
		for known, entry := range s.entries {
			if now >= entry.until {
				delete(s.entries, known)
			}
		}
		s.sweepAt = now + sweepInterval
	}
	if entry := s.entries[id]; entry == nil || now >= entry.until {
		s.entries[id] = &memoryEntry{until: now + ttl, turn: make(chan struct{}, 1)}
	}
	return nil
}

// Accept implements [Store].
func (s *MemoryStore) Accept(
	ctx context.Context, id string, act func(context.Context) error,
) (Outcome, error) {
	entry := s.find(id)
	if entry == nil {
		return Unknown, nil
	}
	select {
	case entry.turn <- struct{}{}:
		defer func() { <-entry.turn }()
	case <-ctx.Done():
		return Unknown, ctx.Err()
	}
	if entry.accepted {
		return Repeated, nil
	}
	if err := act(ctx); err != nil {
		return Unknown, err
	}
	entry.accepted = true
	return Accepted, nil
}

func (s *MemoryStore) find(id string) *memoryEntry {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	entry := s.entries[id]
	if entry == nil || s.now() >= entry.until {
		return nil
	}
	return entry
}
