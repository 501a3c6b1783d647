package countersign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// door is a login handler that records whom it let in.
type door struct {
	http.Handler
	client *Client
	phone  *phone
	log    bytes.Buffer
	err    error
	answer func(http.ResponseWriter)
	in     []Login
}

func newDoor(t *testing.T, store Store) *door {
	d := &door{phone: newPhone()}
	d.client = newTestClient(t, newStub(t), &testWorld{}, func(c *Config) { c.Store = store },
		WithLogger(slog.New(slog.NewTextHandler(&d.log, nil))))
	d.Handler = d.client.LoginHandler(LoginOptions{
		Origin:  testOrigin,
		FindKey: d.phone.findKey,
		OnLogin: func(w http.ResponseWriter, r *http.Request, login Login) error {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: r.URL.Query().Get("value")})
			if d.answer != nil {
				d.answer(w)
			}
			d.in = append(d.in, login)
			return d.err
		},
	})
	return d
}

func (d *door) detail() string {
	text, _ := json.Marshal(d.phone.detail(d.phone.proof()))
	return string(text)
}

func (d *door) post(origin, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest("POST", "/login?value=1", strings.NewReader(body))
	if origin != "" {
		request.Header.Set("Origin", origin)
	}
	return serve(d, request)
}

func TestProofLogsInOnce(t *testing.T) {
	d := newDoor(t, nil)
	first := d.post(testOrigin, d.detail())
	expectAnswer(t, "first", first, 200, "logged in")
	if first.Header().Get("Set-Cookie") != "session=1" {
		t.Error("no cookie")
	}
	again := d.post(testOrigin, d.detail()) // another proof of the same session
	expectAnswer(t, "again", again, 403, "not logged in")
	if again.Header().Get("Set-Cookie") != "" || len(d.in) != 1 || d.in[0].UserID != testUser {
		t.Errorf("%v, %v", again.Header(), d.in)
	}
	if !strings.Contains(d.log.String(), "the session was used before") {
		t.Errorf("log: %s", &d.log)
	}
}

func TestRefusalsLookTheSameAndUseNothingUp(t *testing.T) {
	d := newDoor(t, nil)
	for _, origin := range []string{"", "null", "https://evil.example", testOrigin + "/"} {
		expectAnswer(t, origin, d.post(origin, d.detail()), 403, "not logged in")
	}
	for name, forgery := range otherDetails(d.phone) {
		text, _ := json.Marshal(forgery)
		expectAnswer(t, name, d.post(testOrigin, string(text)), 403, "not logged in")
	}
	right := d.detail()
	bodies := []string{"", "null", "[]", "{}", `"text"`, right[1:], strings.Repeat("[", 20_000)}
	for _, member := range []string{"sessionId", "payload", "salt", "proof"} {
		for _, value := range []any{nil, 7, []string{"x"}, map[string]any{}} {
			var members map[string]any
			json.Unmarshal([]byte(right), &members)
			members[member] = value
			text, _ := json.Marshal(members)
			bodies = append(bodies, string(text))
		}
	}
	for _, body := range bodies {
		expectAnswer(t, body, d.post(testOrigin, body), 400, "not a login")
	}
	expectAnswer(t, "large", d.post(testOrigin, strings.Repeat(" ", 64<<10+1)), 413, "body too large")
	expectAnswer(t, "GET", serve(d, httptest.NewRequest("GET", "/login", nil)), 405, "POST only")
	expectAnswer(t, "right", d.post(testOrigin, right), 200, "logged in")
	if len(d.in) != 1 || strings.Contains(d.log.String(), "a token") || strings.Contains(d.log.String(), "eyJ") {
		t.Errorf("%v, log: %s", d.in, &d.log)
	}
}

func TestFailedLoginCanBeTriedAgain(t *testing.T) {
	d := newDoor(t, nil)
	d.err = errors.New("no database")
	failed := d.post(testOrigin, d.detail())
	expectAnswer(t, "failing", failed, 500, "internal error")
	if failed.Header().Get("Set-Cookie") != "" {
		t.Error("a cookie without a login")
	}
	d.err = nil
	expectAnswer(t, "again", d.post(testOrigin, d.detail()), 200, "logged in")
}

func TestCallbackMayAnswerItself(t *testing.T) {
	d := newDoor(t, nil)
	d.answer = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(201)
		w.WriteHeader(500) // like net/http, ignored
		w.Write([]byte(`{"to":`))
		w.Write([]byte(`"/account"}`))
	}
	answer := d.post(testOrigin, d.detail())
	if answer.Code != 201 || answer.Body.String() != `{"to":"/account"}` || answer.Header().Get("Cache-Control") != "no-store" ||
		answer.Header().Get("Content-Type") != "application/json" || answer.Header().Get("Set-Cookie") == "" {
		t.Errorf("%d %s %v", answer.Code, answer.Body, answer.Header())
	}
}

// failingCommit is a store whose transaction fails after the act.
type failingCommit struct{ *MemoryStore }

func (s failingCommit) Accept(ctx context.Context, id string, act func(context.Context) error) (Outcome, error) {
	if err := act(ctx); err != nil {
		return Unknown, err
	}
	return Unknown, errors.New("commit failed")
}

func TestNothingIsSentBeforeTheLoginIsMarked(t *testing.T) {
	d := newDoor(t, failingCommit{NewMemoryStore()})
	d.answer = func(w http.ResponseWriter) { w.Write([]byte("welcome")) }
	answer := d.post(testOrigin, d.detail())
	expectAnswer(t, "commit failed", answer, 500, "internal error")
	if answer.Header().Get("Set-Cookie") != "" || len(d.in) != 1 {
		t.Errorf("%v %v", answer.Header(), d.in)
	}
}

func TestLoginHandlerWithoutItsOptionsPanics(t *testing.T) {
	client := newTestClient(t, newStub(t), &testWorld{}, nil)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	client.LoginHandler(LoginOptions{Origin: testOrigin})
}
