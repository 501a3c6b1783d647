package countersign

import (
	"log/slog"
	"net/http"
	"time"
)

// Option changes a setting that few servers need to change.
type Option func(*settings)

type settings struct {
	logger     *slog.Logger
	transport  http.RoundTripper
	keyRefetch time.Duration
}

// WithLogger sets where the handlers report refusals and failures. The default is [slog.Default]. Reasons
// for refusals go only there, never into an answer.
func WithLogger(logger *slog.Logger) Option {
	return func(s *settings) { s.logger = logger }
}

// WithTransport sets what sends requests, such as a proxy's transport or one that traces.
func WithTransport(transport http.RoundTripper) Option {
	return func(s *settings) { s.transport = transport }
}

// WithKeyRefetch sets how long after a fetch of the service's keys an unknown key id may cause the next one.
// The default is ten seconds. Strangers can send any key id, so a short interval lets them cause requests.
func WithKeyRefetch(interval time.Duration) Option {
	return func(s *settings) { s.keyRefetch = interval }
}

// RequestOption changes one request.
type RequestOption func(*requestSettings)

type requestSettings struct {
	idempotencyKey string
	fields         map[string]any
}

// WithIdempotencyKey sets the Idempotency-Key of [ConfirmationService.Acquire] and
// [ConfirmationService.Confirm], so that you can repeat a call after a crash without starting a second
// confirmation. By default each call has a random one, the same for all of its tries.
func WithIdempotencyKey(key string) RequestOption {
	return func(s *requestSettings) { s.idempotencyKey = key }
}

// WithField adds a member to the request's body that this version's types do not have yet.
func WithField(name string, value any) RequestOption {
	return func(s *requestSettings) {
		if s.fields == nil {
			s.fields = make(map[string]any)
		}
		s.fields[name] = value
	}
}

func apply(options []RequestOption) requestSettings {
	var s requestSettings
	for _, option := range options {
		option(&s)
	}
	return s
}
