package countersign

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"
)

// Option changes a setting that few servers need to change.
type Option interface{ applyTo(*settings) }

// RequestOption changes one request.
type RequestOption interface{ applyToRequest(*requestSettings) }

// CallOption changes one call, or all calls of a client.
type CallOption interface {
	Option
	RequestOption
}

type clientOption func(*settings)

func (o clientOption) applyTo(s *settings) { o(s) }

type requestOption func(*requestSettings)

func (o requestOption) applyToRequest(s *requestSettings) { o(s) }

type callOption func(*limits)

func (o callOption) applyTo(s *settings)               { o(&s.limits) }
func (o callOption) applyToRequest(s *requestSettings) { o(&s.limits) }

// limits are the limits of a call.
type limits struct {
	total      time.Duration
	maxRetries int
}

const (
	defaultTotal   = 30 * time.Second
	defaultRetries = 2
	maxMaxRetries  = 10
)

func (l limits) check() error {
	switch {
	case l.total <= 0:
		return errors.New("countersign: WithTimeout needs a positive duration")
	case l.maxRetries < 0 || l.maxRetries > maxMaxRetries:
		return errors.New("countersign: WithMaxRetries needs a number from 0 to 10")
	default:
		return nil
	}
}

type settings struct {
	logger     *slog.Logger
	http       *http.Client
	keyRefetch time.Duration
	limits     limits
}

func (s settings) check() error {
	switch {
	case s.logger == nil:
		return errors.New("countersign: WithLogger needs a logger")
	case s.http == nil:
		return errors.New("countersign: WithHTTPClient needs a client")
	case s.http.Transport != nil && isNil(s.http.Transport):
		return errors.New("countersign: WithTransport needs a transport")
	case s.keyRefetch < 0:
		return errors.New("countersign: WithKeyRefetch needs a duration")
	default:
		return s.limits.check()
	}
}

// WithTimeout sets the maximum duration of a call, including all its attempts and the waits between them. The
// default is thirty seconds. The context of a call limits it as well.
func WithTimeout(total time.Duration) CallOption {
	return callOption(func(l *limits) { l.total = total })
}

// WithMaxRetries sets how often a call is retried, from 0 to 10. The default is 2.
func WithMaxRetries(count int) CallOption {
	return callOption(func(l *limits) { l.maxRetries = count })
}

// WithLogger sets the logger to which the handlers report refusals and failures. The default is
// [slog.Default]. Reasons for refusals only go there, never into an answer.
func WithLogger(logger *slog.Logger) Option {
	return clientOption(func(s *settings) { s.logger = logger })
}

// WithHTTPClient sets the client that sends requests. Redirects are still refused, because a redirect would
// send the API key to another host. By default, requests use a transport of the client's own, which takes
// proxies from the environment.
func WithHTTPClient(client *http.Client) Option {
	return clientOption(func(s *settings) { s.http = client })
}

// WithTransport sets the transport that sends requests, such as a proxy's or one that traces requests.
func WithTransport(transport http.RoundTripper) Option {
	return clientOption(func(s *settings) {
		if transport == nil {
			s.http = &http.Client{Transport: (*http.Transport)(nil)} // refused by check
			return
		}
		s.http = &http.Client{Transport: transport}
	})
}

// WithKeyRefetch sets how long after a fetch of the service's keys an unknown key id may trigger the next
// fetch. The default is ten seconds. Strangers can send any key id, so a short interval lets them trigger
// requests.
func WithKeyRefetch(interval time.Duration) Option {
	return clientOption(func(s *settings) { s.keyRefetch = interval })
}

type requestSettings struct {
	idempotencyKey string
	onStarted      func(context.Context, *ConfirmationSession) error
	err            error
	fields         map[string]any
	limits         limits
}

// WithIdempotencyKey sets the Idempotency-Key of [ConfirmationService.Acquire] and
// [ConfirmationService.Confirm], so that you can repeat a call after a crash without starting a second
// confirmation. By default, each call has a random key, which all of its attempts share.
func WithIdempotencyKey(key string) RequestOption {
	return requestOption(func(s *requestSettings) { s.idempotencyKey = key })
}

// WithOnStarted sets a function that writes your record of a confirmation that [ConfirmationService.Acquire] or
// [ConfirmationService.Confirm] started. It runs before the call returns and before a webhook of the confirmation
// is accepted, but not for a repeated answer. The context contains what the [Store] adds to it: with an SQL store,
// its transaction, so that your record and the store's data are committed together.
//
// If it fails, the store keeps nothing, and the call returns the error: show nothing then.
func WithOnStarted(write func(ctx context.Context, started *ConfirmationSession) error) RequestOption {
	return requestOption(func(s *requestSettings) {
		if write == nil {
			s.err = errors.New("countersign: WithOnStarted needs a function")
		}
		s.onStarted = write
	})
}

// WithField adds a member to the request's body that this version's types do not include yet.
func WithField(name string, value any) RequestOption {
	return requestOption(func(s *requestSettings) {
		if s.fields == nil {
			s.fields = make(map[string]any)
		}
		s.fields[name] = value
	})
}

// apply returns the settings of a request, with the client's limits as defaults.
func (c *Client) apply(options []RequestOption) requestSettings {
	s := requestSettings{limits: c.limits}
	for _, option := range options {
		option.applyToRequest(&s)
	}
	return s
}
