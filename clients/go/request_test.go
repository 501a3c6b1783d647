package countersign

import (
	"context"
	"errors"
	"net"
	"net/http"
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
	client, err := newClient(Config{URL: s.URL}, world)
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

func TestRetryAfterIsRespectedUpToThirtySeconds(t *testing.T) {
	date := testTime.Add(20 * time.Second).Format(http.TimeFormat)
	for header, expected := range map[string]time.Duration{
		"30": 30 * time.Second, "7": 7 * time.Second, "0": 500 * time.Millisecond,
		date: 20 * time.Second, "soon": 500 * time.Millisecond,
	} {
		s, world := newStub(t), &testWorld{}
		client := newTestClient(t, s, world, nil)
		s.respond(replies(status(429, problem, "Retry-After", header), status(200, `{}`)))
		if _, err := client.Confirmations.Get(ctx, testID); err != nil {
			t.Fatalf("%s: %v", header, err)
		}
		if !slices.Equal(world.sleeps, []time.Duration{expected}) {
			t.Errorf("%s: waited %v", header, world.sleeps)
		}
	}

	s, world := newStub(t), &testWorld{}
	client := newTestClient(t, s, world, nil)
	s.respond(replies(status(429, problem, "Retry-After", "31")))
	_, err := client.Confirmations.Get(ctx, testID)
	var found *ProblemError
	if !errors.As(err, &found) || found.RetryAfter != 31*time.Second || len(world.sleeps) != 0 {
		t.Errorf("%v, waited %v", err, world.sleeps)
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

// transport is a round tripper that a test writes.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestEachTryHasADeadline(t *testing.T) {
	s, world, tries := newStub(t), &testWorld{}, 0
	client := newTestClient(t, s, world, nil, WithTransport(transport(func(r *http.Request) (*http.Response, error) {
		tries++
		deadline, ok := r.Context().Deadline()
		if left := time.Until(deadline); !ok || left > 10*time.Second || left < 9*time.Second {
			t.Errorf("deadline in %v", left)
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
