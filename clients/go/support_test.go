package countersign

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

const (
	testAPIKey = "cs_live_secret"
	testAppKey = "cs_app_0123456789abcdefABCDEF"
	testNumber = "+12025550100"
	testID     = "cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4"
)

var ctx = context.Background()

// seen is a request that the stub received.
type seen struct {
	method, path, query string
	header              http.Header
	body                string
}

// stub is a service with its own clock, whose answers tests choose.
type stub struct {
	*httptest.Server
	mutex sync.Mutex
	calls []seen
	// answer is called for each request except those for the key set.
	answer func(w http.ResponseWriter, number int)
	// keys answers requests for the key set.
	keys    func(w http.ResponseWriter)
	fetched int
	now     func() time.Time
}

func newStub(t *testing.T) *stub {
	s := &stub{now: func() time.Time { return testTime }, keys: func(w http.ResponseWriter) { io.WriteString(w, `{"keys":[]}`) }}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	s.mutex.Lock()
	if r.URL.Path == "/.well-known/jwks.json" {
		s.fetched++
		keys := s.keys
		s.mutex.Unlock()
		keys(w)
		return
	}
	s.calls = append(s.calls, seen{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(text)})
	number, answer := len(s.calls), s.answer
	s.mutex.Unlock()
	answer(w, number)
}

func (s *stub) respond(answer func(http.ResponseWriter, int)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.answer = answer
}

func (s *stub) publish(keys ...signingKey) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	text := jwks(keys...)
	s.keys = func(w http.ResponseWriter) { io.WriteString(w, text) }
}

// requests returns the number of requests received, except those for the key set.
func (s *stub) requests() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.calls)
}

func (s *stub) fetches() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.fetched
}

// replies answers one request after the other.
func replies(all ...func(http.ResponseWriter)) func(http.ResponseWriter, int) {
	return func(w http.ResponseWriter, number int) { all[number-1](w) }
}

func status(code int, body string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// testTime is the correct time in all tests except those with a real service.
var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// testWorld is a world in which time only passes when code sleeps or a test advances it.
type testWorld struct {
	mutex  sync.Mutex
	wall   time.Time // the machine's clock
	ticks  time.Duration
	sleeps []time.Duration
}

func (w *testWorld) world() world {
	return world{
		now:       func() time.Time { w.mutex.Lock(); defer w.mutex.Unlock(); return w.wall },
		monotonic: func() time.Duration { w.mutex.Lock(); defer w.mutex.Unlock(); return w.ticks },
		sleep: func(ctx context.Context, d time.Duration) error {
			w.pass(d)
			w.sleeps = append(w.sleeps, d)
			return ctx.Err()
		},
		jitter: func() float64 { return 0 },
		newID:  randomUUID,
	}
}

func (w *testWorld) pass(d time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.wall, w.ticks = w.wall.Add(d), w.ticks+d
}

// newTestClient returns a client of the stub, on a machine with this clock.
func newTestClient(t *testing.T, s *stub, world *testWorld, change func(*Config), options ...Option) *Client {
	t.Helper()
	if world.wall.IsZero() {
		world.wall = testTime
	}
	config := Config{URL: s.URL, APIKey: testAPIKey, AppKey: testAppKey, WebhookKeys: PublishedKeys}
	if change != nil {
		change(&config)
	}
	if config.WebhookSecrets != nil {
		config.WebhookKeys = ""
	}
	silent := WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	client, err := newClient(config, world.world(), append([]Option{silent}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// signingKey signs webhooks as the service does.
type signingKey struct {
	id     string
	secret *ecdsa.PrivateKey
}

func newSigningKey(id string) signingKey {
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return signingKey{id, secret}
}

func (k signingKey) sign(body string) http.Header {
	digest := sha256.Sum256([]byte(body))
	signature, err := ecdsa.SignASN1(rand.Reader, k.secret, digest[:])
	if err != nil {
		panic(err)
	}
	return http.Header{
		"X-Signature":        {base64.StdEncoding.EncodeToString(signature)},
		"X-Signature-Key-Id": {k.id},
		"Webhook-Id":         {"msg_1"},
		"Webhook-Timestamp":  {strconv.FormatInt(testTime.Unix(), 10)},
	}
}

func jwks(keys ...signingKey) string {
	set := []map[string]string{}
	for _, key := range keys {
		point, err := key.secret.PublicKey.ECDH()
		if err != nil {
			panic(err)
		}
		raw := point.Bytes()
		set = append(set, map[string]string{
			"kty": "EC", "crv": "P-256", "kid": key.id, "x": protocol.Base64URL(raw[1:33]), "y": protocol.Base64URL(raw[33:]),
		})
	}
	text, _ := json.Marshal(map[string]any{"keys": set})
	return string(text)
}

func confirmationEvent(id string) string {
	return `{"carrier":"","confirmationId":"` + id + `","metadata":{"html":"<&>"},"phoneNumber":"` + testNumber +
		`","timestamp":"2026-01-02T03:04:05.678Z","validationStatus":"valid"}`
}

func loginEvent(id string) string {
	return `{"event":"login.denied","payload":"","result":"denied","sessionId":"` + id +
		`","timestamp":"2026-01-02T03:04:05.678Z"}`
}

func phoneEvent(id string) string {
	return `{"event":"phone.registered","keyId":"k1","kind":"passkey","label":"Chrome on Android",` +
		`"publicUserId":"zoe@example.com","registrationId":"` + id + `","timestamp":"2026-01-02T03:04:05.678Z"}`
}

func session(id string, now time.Time) string {
	return `{"confirmationId":"` + id + `","confirmationMessage":"CS-7Q2M0XK4V9T1BHNE","confirmationUri":{},` +
		`"sendTo":"+12025550199","expiresAt":"` + timestamp(now.Add(5*time.Minute)) + `","expiresIn":300,` +
		`"serverTime":"` + timestamp(now) + `","unknown":{"member":[1]}}`
}
