package main

import "sync"

type outcome int

const (
	unknown  outcome = iota // not ours
	accepted                // accepted for the first time
	repeated                // accepted before
)

// confirmations holds the confirmations that we started.
//
// In a real service this is a table, so that it survives a restart: accept is
// UPDATE ... SET state = 'accepted' WHERE id = ? AND state = 'pending', in one transaction with
// everything that your service does about it.
type confirmations struct {
	mutex sync.Mutex
	done  map[string]bool
}

func newConfirmations() *confirmations { return &confirmations{done: make(map[string]bool)} }

// remember stores a confirmation. Call it when the service has answered, before a user sees the message.
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
