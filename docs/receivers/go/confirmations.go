package main

import "sync"

type outcome int

const (
	unknown  outcome = iota // not ours
	accepted                // the first time
	repeated                // ever after
)

// confirmations are those that we began.
//
// In a real service this is a table, so that it survives a restart: accept is
// UPDATE ... SET state = 'accepted' WHERE id = ? AND state = 'pending', in one transaction with
// whatever follows from it.
type confirmations struct {
	mutex sync.Mutex
	done  map[string]bool
}

func newConfirmations() *confirmations { return &confirmations{done: make(map[string]bool)} }

// remember is called when the service answered, before a person sees the message.
func (c *confirmations) remember(id string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, known := c.done[id]; !known {
		c.done[id] = false
	}
}

func (c *confirmations) accept(id string) outcome {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	done, known := c.done[id]
	switch {
	case !known:
		return unknown
	case done:
		return repeated
	default:
		c.done[id] = true
		return accepted
	}
}
