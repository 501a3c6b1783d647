package countersign

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"time"
)

// Client calls the service and verifies its webhooks and proofs. Create it with [New].
type Client struct {
	Confirmations      *ConfirmationService
	Webhooks           *WebhookService
	Logins             *LoginService
	Approvals          *ApprovalService
	AssociationKeys    *AssociationKeyService
	PhoneRegistrations *PhoneRegistrationService

	baseURL string
	apiKey  string
	appKey  string
	secrets [][]byte
	byKeys  bool
	limits  limits
	store   Store
	log     *slog.Logger
	http    *http.Client
	clock   *clock
	keys    *keySet
	world   world
}

// world contains what tests replace: time, randomness and sleeping.
type world struct {
	now       func() time.Time     // the machine's clock, which may be wrong
	monotonic func() time.Duration // since any moment, never set back
	sleep     func(context.Context, time.Duration) error
	jitter    func() float64 // from 0 to 1
	newID     func() string  // a random UUID
}

func realWorld() world {
	return world{
		now: time.Now, monotonic: monotonicClock(), sleep: sleep, jitter: mathrand.Float64, newID: randomUUID,
	}
}

func monotonicClock() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// New returns a client. It sends no request.
func New(config Config, options ...Option) (*Client, error) {
	return newClient(config, realWorld(), options...)
}

func newClient(config Config, world world, options ...Option) (*Client, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	baseURL, err := checkURL(config.URL, config.AllowUnencryptedHTTP)
	if err != nil {
		return nil, err
	}
	secrets, err := decodeSecrets(config.WebhookSecrets)
	if err != nil {
		return nil, err
	}
	rare := settings{
		logger:     slog.Default(),
		http:       &http.Client{Transport: newTransport()},
		keyRefetch: defaultKeyRefetch,
		limits:     limits{total: defaultTotal, maxRetries: defaultRetries},
	}
	for _, option := range options {
		if option == nil || isNil(option) {
			return nil, errors.New("countersign: an option is nil")
		}
		option.applyTo(&rare)
	}
	if err := rare.check(); err != nil {
		return nil, err
	}
	// A copy, because the caller's client may follow redirects for other requests.
	sender := *rare.http
	sender.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &Client{
		baseURL: baseURL,
		apiKey:  config.APIKey,
		appKey:  config.AppKey,
		secrets: secrets,
		byKeys:  config.WebhookKeys == PublishedKeys,
		limits:  rare.limits,
		store:   config.Store,
		log:     rare.logger,
		http:    &sender,
		clock:   &clock{now: world.now, monotonic: world.monotonic},
		world:   world,
	}
	if c.store == nil {
		c.store = newMemoryStore(world.monotonic)
	}
	c.keys = newKeySet(rare.keyRefetch, min(keysTimeout, c.limits.total), world.monotonic, c.fetchKeys)
	c.Confirmations = &ConfirmationService{c}
	c.Webhooks = &WebhookService{c}
	c.Logins = &LoginService{c}
	c.Approvals = &ApprovalService{c}
	c.AssociationKeys = &AssociationKeyService{c}
	c.PhoneRegistrations = &PhoneRegistrationService{c}
	return c, nil
}

// newTransport returns a transport that only this client uses, so that settings of other packages do not
// affect it.
func newTransport() http.RoundTripper {
	if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		return transport.Clone()
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment}
}

// time returns the service's time, as far as the client knows it. If the client has not learned the time yet,
// it fetches the key set, because the answer contains a date. If that fails as well, it uses this machine's
// clock.
func (c *Client) time(ctx context.Context) time.Time {
	if !c.clock.known() {
		if err := c.keys.refresh(ctx); err != nil && !c.clock.known() {
			c.log.WarnContext(ctx, "countersign: the service's time is not known", "error", err)
		}
	}
	return c.clock.time()
}

func sleep(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func randomUUID() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // not since Go 1.24
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
