package countersign

import (
	"net/http"
	"time"
)

const (
	maxTries      = 3
	maxRetryAfter = 30 * time.Second
	firstBackoff  = 500 * time.Millisecond
)

// backoff decides whether to try again, and after how long.
func (c *Client) backoff(r request, failed *failure, tries int) (time.Duration, bool) {
	if tries >= maxTries || !mayRepeat(r, failed) {
		return 0, false
	}
	if failed.retryAfter > 0 {
		return failed.retryAfter, failed.retryAfter <= maxRetryAfter
	}
	wait := firstBackoff << (tries - 1)
	return wait + time.Duration(c.world.jitter()*float64(wait)/4), true
}

func mayRepeat(r request, failed *failure) bool {
	if r.once {
		// Only if the service cannot have acted on it.
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
