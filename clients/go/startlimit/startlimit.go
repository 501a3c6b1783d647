// Package startlimit limits your server's route that starts confirmations, logins or approvals: by browser, by
// address and by phone number. The service also has limits, but they apply to the whole app, and all of a server's
// requests come from one address.
//
//	limiter, err := startlimit.New(startlimit.Options{})
//
//	address, _, err := net.SplitHostPort(r.RemoteAddr) // or what your own proxy says
//	refusal, err := limiter.Take(ctx, startlimit.Start{Browser: session.ID, Address: address, PhoneNumber: number})
//	if refusal != nil {
//		refusal.Write(w) // 429 with Retry-After
//		return
//	}
//
// Counts are stored in the process's memory, unless [Options].Counter says otherwise.
package startlimit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-chi/httprate"
)

// Kind is the property by which a limit counts.
type Kind string

// Kinds of limits.
const (
	Browser Kind = "browser"
	Address Kind = "address"
	Number  Kind = "number"
)

// Limit is the number of starts that are allowed within a time. The window slides: a start counts less and less
// during the window after its own.
type Limit struct {
	Starts int
	Within time.Duration // at least a second
}

// Options changes limits. Zero values select the defaults.
type Options struct {
	PerBrowser Limit // by default 5 in ten minutes
	PerAddress Limit // by default 30 in ten minutes; an IPv6 /64 is one address
	PerNumber  Limit // by default 5 in an hour

	// Counter returns the storage for the counts of one kind, such as a counter of [github.com/go-chi/httprate-redis]
	// that processes share. Each kind needs its own counter. The counters may use the same database, because keys
	// begin with the kind. Keys contain hashes of addresses and numbers. By default, each kind uses
	// [httprate.NewLocalLimitCounter].
	//
	// [github.com/go-chi/httprate-redis]: https://github.com/go-chi/httprate-redis
	Counter func(kind Kind) (httprate.LimitCounter, error)
}

// Limiter counts starts. It is safe for concurrent use.
type Limiter struct {
	now    func() time.Time
	limits []limit

	mutex sync.Mutex // Between the check of all limits and the counting.
}

// limit is one kind of limit with its counts.
type limit struct {
	kind Kind
	Limit
	counter httprate.LimitCounter
}

// New returns a limiter without counts.
func New(options Options) (*Limiter, error) { return newLimiter(options, time.Now) }

func newLimiter(options Options, now func() time.Time) (*Limiter, error) {
	newCounter := options.Counter
	if newCounter == nil {
		newCounter = func(kind Kind) (httprate.LimitCounter, error) {
			return httprate.NewLocalLimitCounter(time.Minute), nil // Config sets the right time.
		}
	}
	l := &Limiter{now: now}
	for _, one := range []struct {
		kind            Kind
		name            string
		given, standard Limit
	}{
		{Browser, "PerBrowser", options.PerBrowser, Limit{5, 10 * time.Minute}},
		{Address, "PerAddress", options.PerAddress, Limit{30, 10 * time.Minute}},
		{Number, "PerNumber", options.PerNumber, Limit{5, time.Hour}},
	} {
		chosen := one.given
		if chosen == (Limit{}) {
			chosen = one.standard
		}
		if chosen.Starts < 1 || chosen.Within < time.Second {
			return nil, fmt.Errorf("startlimit: Options.%s needs at least one start in at least a second", one.name)
		}
		counter, err := newCounter(one.kind)
		if err != nil {
			return nil, fmt.Errorf("startlimit: %w", err)
		}
		if counter == nil {
			return nil, errors.New("startlimit: Options.Counter returned no counter")
		}
		counter.Config(chosen.Starts, chosen.Within)
		l.limits = append(l.limits, limit{one.kind, chosen, counter})
	}
	return l, nil
}

// Start is a request to start something.
type Start struct {
	// Browser identifies the browser to your server, such as the id of its session. It must not be a value that the
	// browser can choose.
	Browser string
	// Address is the browser's IP address, without a port. Behind a proxy, use the address that your own proxy
	// reports, not one that any client can put into a header.
	Address string
	// PhoneNumber is the number to confirm, in any spelling. It is empty if the number is not known.
	PhoneNumber string
}

// Refusal means that there were too many starts.
type Refusal struct {
	// Limit is the limit that was reached. Do not show it to users.
	Limit Kind
	// RetryAfter is how long to wait, in whole seconds.
	RetryAfter time.Duration
}

// Write answers 429, with Retry-After.
func (r *Refusal) Write(w http.ResponseWriter) {
	w.Header().Set("Retry-After", strconv.Itoa(int(r.RetryAfter/time.Second)))
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "too many attempts", http.StatusTooManyRequests)
}

// Take counts a start, or returns a refusal if a limit is reached. A refused start does not count against any
// limit.
//
// The error says that the browser or the address is missing or malformed, or comes from the counter: do not start
// anything then.
func (l *Limiter) Take(ctx context.Context, start Start) (*Refusal, error) {
	values, err := start.values()
	if err != nil {
		return nil, err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	now := l.now().UTC()
	for _, limit := range l.limits {
		value := values[limit.kind]
		if value == "" {
			continue
		}
		wait, err := limit.wait(key(limit.kind, value), now)
		if err != nil {
			return nil, fmt.Errorf("startlimit: %w", err)
		}
		if wait > 0 {
			return &Refusal{limit.kind, wait}, nil
		}
	}
	for _, limit := range l.limits {
		value := values[limit.kind]
		if value == "" {
			continue
		}
		if err := limit.counter.Increment(key(limit.kind, value), now.Truncate(limit.Within)); err != nil {
			return nil, fmt.Errorf("startlimit: %w", err)
		}
	}
	return nil, nil
}

// values returns the value that each limit counts. A missing number is not counted.
func (s Start) values() (map[Kind]string, error) {
	address, isAddress := addressValue(s.Address)
	switch {
	case s.Browser == "":
		return nil, errors.New("startlimit: Start.Browser is empty")
	case !isAddress:
		return nil, errors.New("startlimit: Start.Address is no IP address")
	}
	return map[Kind]string{Browser: s.Browser, Address: address, Number: numberValue(s.PhoneNumber)}, nil
}

// wait returns how long it takes until one more start is allowed. The starts of the previous window count as far
// as it still overlaps the sliding one, as if they had been spread evenly.
func (l limit) wait(key string, now time.Time) (time.Duration, error) {
	begin := now.Truncate(l.Within)
	current, previous, err := l.counter.Get(key, begin, begin.Add(-l.Within))
	if err != nil {
		return 0, err
	}
	left := l.Within - now.Sub(begin) // of this time
	allowed := float64(l.Starts - 1)
	if allowed >= float64(current) {
		return ceil(left - share(l.Within, allowed-float64(current), previous)), nil
	}
	return ceil(left + l.Within - share(l.Within, allowed, current)), nil
}

// share returns how much of a window may still overlap the sliding one so that its starts are within the
// limit.
func share(within time.Duration, allowed float64, starts int) time.Duration {
	if allowed >= float64(starts) {
		return within
	}
	return time.Duration(allowed / float64(starts) * float64(within))
}

// ceil rounds up to whole seconds.
func ceil(wait time.Duration) time.Duration {
	return max(0, (wait + time.Second - 1).Truncate(time.Second))
}
