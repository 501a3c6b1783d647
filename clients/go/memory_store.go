package countersign

import (
	"context"
	"sync"
	"time"
)

// MemoryStore is a [Store] in this process's memory. It forgets everything on restart, and other processes
// cannot see it: use it for trials and for services with a single process.
type MemoryStore struct {
	now func() time.Duration

	mutex   sync.Mutex
	entries map[string]*memoryEntry
	sweepAt time.Duration
}

type memoryEntry struct {
	until    time.Duration
	turn     chan struct{} // holds a value while an act runs
	isKnown  bool          // whether the act of Remember has succeeded; guarded by turn
	accepted bool          // guarded by turn
}

const sweepInterval = time.Minute

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore { return newMemoryStore(monotonicClock()) }

func newMemoryStore(now func() time.Duration) *MemoryStore {
	return &MemoryStore{now: now, entries: make(map[string]*memoryEntry)}
}

// Remember implements [Store].
func (s *MemoryStore) Remember(
	ctx context.Context, id string, ttl time.Duration, act func(context.Context) error,
) (bool, error) {
	entry := s.findOrAdd(id, ttl)
	if err := entry.begin(ctx); err != nil {
		return false, err
	}
	defer entry.end()
	if entry.isKnown {
		return false, nil
	}
	if err := act(ctx); err != nil {
		return false, err
	}
	entry.isKnown = true
	return true, nil
}

// Accept implements [Store].
func (s *MemoryStore) Accept(
	ctx context.Context, id string, act func(context.Context) error,
) (Outcome, error) {
	entry := s.find(id)
	if entry == nil {
		return Unknown, nil
	}
	if err := entry.begin(ctx); err != nil {
		return Unknown, err
	}
	defer entry.end()
	switch {
	case !entry.isKnown:
		return Unknown, nil
	case entry.accepted:
		return Repeated, nil
	}
	if err := act(ctx); err != nil {
		return Unknown, err
	}
	entry.accepted = true
	return Accepted, nil
}

// begin waits until no other call is acting on the id.
func (e *memoryEntry) begin(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *memoryEntry) end() { <-e.turn }

// findOrAdd returns the id's entry. A new entry is not known yet.
func (s *MemoryStore) findOrAdd(id string, ttl time.Duration) *memoryEntry {
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
	entry := s.entries[id]
	if entry == nil || now >= entry.until {
		entry = &memoryEntry{until: now + ttl, turn: make(chan struct{}, 1)}
		s.entries[id] = entry
	}
	return entry
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
