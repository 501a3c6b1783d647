package countersign

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// stepTolerance is how far the machine's two clocks may drift apart before one of them must have been set.
const stepTolerance = 2 * time.Second

// clock tells the service's time: the machine's clock and the newest difference that was learned.
type clock struct {
	now       func() time.Time     // the machine's clock, which may be wrong
	monotonic func() time.Duration // never set

	mutex  sync.Mutex
	offset time.Duration
	// The machine's two clocks when the offset was learned.
	learnedAt time.Time
	ticksAt   time.Duration
}

// learn takes the service's time from an answer that has just arrived: serverTime if its body has one, else
// the header Date.
func (c *clock) learn(serverTime time.Time, header http.Header) {
	if serverTime.IsZero() {
		date, err := http.ParseTime(header.Get("Date"))
		if err != nil {
			return
		}
		serverTime = date
		// A cache passes the answer on with its first date.
		if age, err := strconv.ParseUint(header.Get("Age"), 10, 31); err == nil {
			serverTime = date.Add(time.Duration(age) * time.Second)
		}
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.learnedAt, c.ticksAt = c.wall(), c.monotonic()
	c.offset = serverTime.Sub(c.learnedAt)
}

// known says whether the offset is known. It is forgotten when the machine's clock is set.
func (c *clock) known() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.isKnown()
}

// time returns the service's time, or the machine's if no other is known.
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

// wall returns the machine's time without the monotonic reading, which differences would be taken from.
func (c *clock) wall() time.Time { return c.now().Round(0) }
