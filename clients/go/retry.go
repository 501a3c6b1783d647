package countersign

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

const (
	firstBackoff  = 500 * time.Millisecond
	maxBackoff    = 8 * time.Second
	maxRetryAfter = (1<<31 - 1) * time.Second
)

// backoff returns how long to wait before the next attempt, which the service may determine.
func (c *Client) backoff(failed *failure, tries int) time.Duration {
	if failed.retryAfter > 0 {
		return failed.retryAfter
	}
	wait := min(firstBackoff<<(tries-1), maxBackoff)
	return wait + time.Duration(c.world.jitter()*float64(wait)/4)
}

func mayRepeat(r request, failed *failure) bool {
	if r.once {
		// Only if the service cannot have processed it.
		return failed.unsent || failed.status == http.StatusTooManyRequests
	}
	switch failed.status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return failed.network
	}
}

// retryAfter parses the Retry-After header, which contains seconds or a date. It returns zero if the header
// is missing. The time is used for answers without a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	seconds, err := strconv.ParseUint(value, 10, 31)
	if err == nil {
		return time.Duration(seconds) * time.Second
	}
	if errors.Is(err, strconv.ErrRange) && value[0] != '-' {
		return maxRetryAfter
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	// In whole seconds, as the header has them.
	wait := until.Sub(now)
	return max(0, (wait + time.Second - 1).Truncate(time.Second))
}
