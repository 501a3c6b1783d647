package countersign

// NewMemoryStoreAt lets tests control the time.
var NewMemoryStoreAt = newMemoryStore

// Len returns the number of ids in the store, including expired ones.
func (s *MemoryStore) Len() int { return len(s.entries) }
