package countersign

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

const problem = `{"type":"/problems/app_rate_exceeded","title":"Too many","status":429,
	"code":"app_rate_exceeded","detail":"wait","field":"/phoneNumber","requestId":"req_1","new":{}}`

func TestRefusalIsAProblemError(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	s.respond(replies(status(422, problem)))
	_, err := client.Confirmations.Confirm(ctx, ConfirmRequest{PhoneNumber: testNumber})
	var found *ProblemError
	var common Error
	if !errors.As(err, &found) || !errors.As(err, &common) {
		t.Fatalf("%T: %v", err, err)
	}
	expected := ProblemError{422, "app_rate_exceeded", "Too many", "wait", "/phoneNumber", "req_1", 0}
	if *found != expected {
		t.Errorf("%+v", *found)
	}
}

func TestProblemWithoutCodeIsNamedByItsStatus(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	s.respond(replies(status(418, `{}`)))
	_, err := client.Confirmations.Get(ctx, testID)
	var found *ProblemError
	if !errors.As(err, &found) || found.Code != "http_418" {
		t.Errorf("%v", err)
	}
}

func TestRetriesWaitLongerEachTimeAndKeepTheKey(t *testing.T) {
	for _, code := range []int{429, 500, 502, 503, 504} {
		s, world := newStub(t), &testWorld{}
		client := newTestClient(t, s, world, nil)
		fail := status(code, `{"code":"x"}`)
		s.respond(replies(fail, fail, status(200, session(testID, testTime))))
		if _, err := client.Confirmations.Acquire(ctx, AcquireRequest{}); err != nil {
			t.Fatalf("%d: %v", code, err)
		}
		if !slices.Equal(world.sleeps, []time.Duration{500 * time.Millisecond, time.Second}) {
			t.Errorf("%d: waited %v", code, world.sleeps)
		}
		key := s.calls[0].header.Get("Idempotency-Key")
		for _, call := range s.calls {
			if call.header.Get("Idempotency-Key") != key || len(key) != 36 || call.body != `{}` {
				t.Errorf("%d: %+v", code, call)
			}
		}
	}
}

func TestThirdFailureIsReported(t *testing.T) {
	s, world := newStub(t), &testWorld{}
	client := newTestClient(t, s, world, nil)
	html := status(502, "<html>")
	s.respond(replies(html, html, html))
	_, err := client.Confirmations.Get(ctx, testID)
	var found *ConnectionError
	if !errors.As(err, &found) || found.Status != 502 || len(s.calls) != 3 {
		t.Errorf("%v after %d tries", err, len(s.calls))
	}
}

func TestJitterLengthensTheWait(t *testing.T) {
	s, fake := newStub(t), &testWorld{wall: testTime}
	world := fake.world()
	world.jitter = func() float64 { return 1 }
	client, err := newClient(Config{URL: s.URL, APIKey: testAPIKey}, world)
	if err != nil {
		t.Fatal(err)
	}
	s.respond(replies(status(503, `{}`), status(200, `{}`)))
	if _, err := client.Confirmations.Get(ctx, testID); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(fake.sleeps, []time.Duration{625 * time.Millisecond}) {
		t.Errorf("waited %v", fake.sleeps)
	}
}

func TestOtherRefusalsAreNotRepeated(t *testing.T) {
	for _, code := range []int{400, 401, 403, 404, 409, 410, 422, 501} {
		s := newStub(t)
		client := newTestClient(t, s, &testWorld{}, nil)
		s.respond(replies(status(code, `{"code":"x"}`)))
		var found *ProblemError
		if _, err := client.Confirmations.Get(ctx, testID); !errors.As(err, &found) || found.Status != code {
			t.Errorf("%d: %v", code, err)
		}
	}
}

func TestRedirectsAreRefused(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	s.respond(replies(status(307, "", "Location", s.URL+"/elsewhere")))
	_, err := client.Confirmations.Get(ctx, testID)
	var found *ConnectionError
	if !errors.As(err, &found) || found.Status != 307 || len(s.calls) != 1 {
		t.Errorf("%v after %d requests", err, len(s.calls))
	}
}

func TestAnswersThatAreNotOfTheServiceAreConnectionErrors(t *testing.T) {
	for _, text := range []string{"", "<html>", "null", "[]", "true", `{"confirmationId":7}`, `{"serverTime":"now"}`} {
		s := newStub(t)
		client := newTestClient(t, s, &testWorld{}, nil)
		s.respond(replies(status(200, text)))
		_, err := client.Confirmations.Get(ctx, testID)
		var found *ConnectionError
		if !errors.As(err, &found) || len(s.calls) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// transport is a round tripper that a test implements.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestEachTryHasADeadline(t *testing.T) {
	s, world, tries := newStub(t), &testWorld{}, 0
	client := newTestClient(t, s, world, nil, WithTransport(transport(func(r *http.Request) (*http.Response, error) {
		tries++
		deadline, ok := r.Context().Deadline()
		// The last attempt may use all the remaining time.
		longest := 10 * time.Second
		if tries == 3 {
			longest = 28500 * time.Millisecond
		}
		if left := time.Until(deadline); !ok || left > longest || left < longest-time.Second {
			t.Errorf("deadline of try %d in %v", tries, left)
		}
		return nil, context.DeadlineExceeded
	})))
	_, err := client.Confirmations.Acquire(ctx, AcquireRequest{})
	var found *ConnectionError
	if !errors.As(err, &found) || !errors.Is(err, context.DeadlineExceeded) || tries != 3 {
		t.Errorf("%v after %d tries", err, tries)
	}
}

func TestCancelledContextEndsTheTries(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	ctx, cancel := context.WithCancel(ctx)
	s.respond(func(w http.ResponseWriter, _ int) { status(503, `{"code":"busy"}`)(w) })
	client.world.sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	_, err := client.Confirmations.Get(ctx, testID)
	var found *ProblemError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &found) || len(s.calls) != 1 {
		t.Errorf("%v after %d tries", err, len(s.calls))
	}
}

func TestRedeliverIsRepeatedOnlyIfNothingCanHaveHappened(t *testing.T) {
	refusedDial := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset")}
	answer := func(code int) func() (*http.Response, error) {
		return func() (*http.Response, error) {
			return &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}, nil
		}
	}
	for name, test := range map[string]struct {
		answer func() (*http.Response, error)
		tries  int
	}{
		"refused":  {func() (*http.Response, error) { return nil, refusedDial }, 3},
		"429":      {answer(429), 3},
		"reset":    {func() (*http.Response, error) { return nil, reset }, 1},
		"deadline": {func() (*http.Response, error) { return nil, context.DeadlineExceeded }, 1},
		"503":      {answer(503), 1},
	} {
		tries := 0
		client := newTestClient(t, newStub(t), &testWorld{}, nil, WithTransport(transport(func(*http.Request) (*http.Response, error) {
			tries++
			return test.answer()
		})))
		if _, err := client.Confirmations.Redeliver(ctx, testID); err == nil || tries != test.tries {
			t.Errorf("%s: %d tries, %v", name, tries, err)
		}
	}
}

func TestCallEndsWithItsTotal(t *testing.T) {
	ended := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Sends a byte now and then, so the answer never ends.
		for {
			io.WriteString(w, " ")
			w.(http.Flusher).Flush()
			select {
			case <-ended:
				return
			case <-r.Context().Done():
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}))
	defer hanging.Close()
	defer close(ended)
	for place, options := range map[string]struct {
		client []Option
		call   []RequestOption
	}{
		"client": {client: []Option{WithTimeout(200 * time.Millisecond)}},
		"call":   {call: []RequestOption{WithTimeout(200 * time.Millisecond), WithMaxRetries(0)}},
	} {
		client, err := New(Config{URL: hanging.URL, APIKey: testAPIKey}, options.client...)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = client.Confirmations.Get(ctx, testID, options.call...)
		var found *ConnectionError
		if took := time.Since(began); !errors.As(err, &found) || !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
			t.Errorf("%s: %v after %v", place, err, took)
		}
		if err != nil && !strings.Contains(err.Error(), "the service at "+hanging.URL+" did not answer") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

func TestLimitsOfACallAreChecked(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	for _, option := range []CallOption{WithTimeout(0), WithTimeout(-1), WithMaxRetries(-1), WithMaxRetries(11)} {
		if _, err := client.Confirmations.Get(ctx, testID, option); err == nil || len(s.calls) != 0 {
			t.Errorf("%v after %d requests", err, len(s.calls))
		}
	}
}

func TestNilOptionsAreRefused(t *testing.T) {
	var noStore *MemoryStore
	config := Config{URL: "https://api.shop.example", APIKey: testAPIKey}
	for name, option := range map[string]Option{
		"nil": nil, "logger": WithLogger(nil), "client": WithHTTPClient(nil), "transport": WithTransport(nil),
		"nil transport": WithTransport((*http.Transport)(nil)),
	} {
		if _, err := New(config, option); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	config.Store = noStore
	if _, err := New(config); err == nil {
		t.Error("a nil store was accepted")
	}
}

func TestGivenClientOfHTTPRefusesRedirects(t *testing.T) {
	s := newStub(t)
	tries := 0
	given := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		tries++
		return http.DefaultTransport.RoundTrip(r)
	})}
	client := newTestClient(t, s, &testWorld{}, nil, WithHTTPClient(given))
	s.respond(replies(status(307, "", "Location", s.URL+"/elsewhere")))
	var found *ConnectionError
	if _, err := client.Confirmations.Get(ctx, testID); !errors.As(err, &found) || found.Status != 307 || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
	if given.CheckRedirect != nil {
		t.Error("the caller's client was changed")
	}
}

func TestErrorsQuoteNoSecrets(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	secrets := []string{testAPIKey, testNumber, "2025550100", "CS-7Q2M0XK4V9T1BHNE", "browser-token", "zoe@example.com"}
	everything := `"` + strings.Join(secrets, " ") + `"`
	calls := map[string]func() error{
		"confirm": func() error {
			_, err := client.Confirmations.Confirm(ctx, ConfirmRequest{PhoneNumber: testNumber})
			return err
		},
		"create": func() error {
			_, err := client.Logins.Create(ctx, "browser-token", CreateSessionRequest{})
			return err
		},
		"list": func() error { _, err := client.AssociationKeys.List(ctx, "zoe@example.com"); return err },
	}
	answers := []func(http.ResponseWriter){
		status(200, everything), status(200, `{"serverTime":`+everything+`}`), status(400, everything),
		status(400, `{"detail":`+everything+`}`),
		func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	}
	for name, call := range calls {
		for number, answer := range answers {
			s.respond(func(w http.ResponseWriter, _ int) { answer(w) })
			err := call()
			if err == nil {
				t.Fatalf("%s %d succeeded", name, number)
			}
			for _, secret := range secrets {
				if text := err.Error(); strings.Contains(text, secret) || strings.Contains(text, url.QueryEscape(secret)) {
					t.Errorf("%s %d: %v", name, number, err)
				}
			}
		}
	}
}

func TestIDsThatAreNoneSendNothing(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	for _, id := range []string{"", ".", ".."} {
		if _, err := client.Confirmations.Redact(ctx, id); err == nil || len(s.calls) != 0 {
			t.Errorf("%q: %v", id, err)
		}
		if err := client.Logins.Cancel(ctx, id); err == nil || len(s.calls) != 0 {
			t.Errorf("%q: %v", id, err)
		}
	}
	for _, token := range []string{"", "line\nfeed"} {
		if _, err := client.Logins.Create(ctx, token, CreateSessionRequest{}); err == nil || len(s.calls) != 0 {
			t.Errorf("%q: %v", token, err)
		}
	}
}
