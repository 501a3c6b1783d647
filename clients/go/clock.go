package countersign

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// stepTolerance is how far the machine's two clocks may drift apart before one of them must have been
// adjusted.
const stepTolerance = 2 * time.Second

// clock computes the service's time from the machine's clock and the most recently measured offset.
type clock struct {
	now       func() time.Time     // the machine's clock, which may be wrong
	monotonic func() time.Duration // never set

	mutex  sync.Mutex
	offset time.Duration
	// The machine's two clocks when the offset was measured.
	learnedAt time.Time
	ticksAt   time.Duration
}

// learn reads the service's time from an answer that has just arrived: from serverTime if the body has it,
// otherwise from the Date header.
func (c *clock) learn(serverTime time.Time, header http.Header) {
	if serverTime.IsZero() {
		date, err := http.ParseTime(header.Get("Date"))
		if err != nil {
			return
		}
		serverTime = date
		// A cache passes on the answer with the original date.
		if age, err := strconv.ParseUint(header.Get("Age"), 10, 31); err == nil {
			serverTime = date.Add(time.Duration(age) * time.Second)
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.learnedAt, c.ticksAt = c.wall(), c.monotonic()
	c.offset = serverTime.Sub(c.learnedAt)
}

// known reports whether the offset is known. The offset is discarded if the machine's clock is adjusted.
func (c *clock) known() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.isKnown()
}

// time returns the service's time, or the machine's time if the offset is unknown.
func (c *clock) time() time.Time {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.isKnown() {
		return c.wall().Add(c.offset)
	}
	return c.wall()
}

func (c *clock) isKnown() bool {
	if c.learnedAt.IsZero() {
		return false
	}
	stepped := c.wall().Sub(c.learnedAt) - (c.monotonic() - c.ticksAt)
	return stepped.Abs() < stepTolerance
}

// wall returns the machine's time without the monotonic reading, which subtraction would use instead.
func (c *clock) wall() time.Time { return c.now().Round(0) }
