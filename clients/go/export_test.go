package countersign

// NewMemoryStoreAt lets tests say what time it is.
var NewMemoryStoreAt = newMemoryStore

// Len returns how many ids the store holds, even if their time is over.
func (s *MemoryStore) Len() int { return len(s.entries) }
