package countersign

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// hook is a webhook handler that records its events.
type hook struct {
	http.Handler
	client   *Client
	key      signingKey
	stub     *stub
	log      bytes.Buffer
	err      error
	verified []string
	decided  []string
}

func newHook(t *testing.T) *hook {
	h := &hook{stub: newStub(t), key: newSigningKey("first")}
	h.stub.publish(h.key)
	h.client = newTestClient(t, h.stub, &testWorld{}, nil, WithLogger(slog.New(slog.NewTextHandler(&h.log, nil))))
	h.Handler = h.client.WebhookHandler(WebhookOptions{
		OnVerified: func(_ context.Context, event *WebhookBody) error {
			h.verified = append(h.verified, event.PhoneNumber)
			return h.err
		},
		OnLogin: func(_ context.Context, event *LoginWebhookBody) error {
			h.decided = append(h.decided, event.SessionID)
			return h.err
		},
	})
	h.remember(testID)
	return h
}

func (h *hook) remember(id string) { h.client.store.Remember(ctx, id, time.Hour, noAct) }

func (h *hook) post(body string, header http.Header) *httptest.ResponseRecorder {
	request := httptest.NewRequest("POST", "/webhook", strings.NewReader(body))
	request.Header = header
	return serve(h, request)
}

func serve(handler http.Handler, request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

func expectAnswer(t *testing.T, what string, answer *httptest.ResponseRecorder, status int, text string) {
	t.Helper()
	if answer.Code != status || answer.Body.String() != text {
		t.Errorf("%s: %d %q, expected %d %q", what, answer.Code, answer.Body, status, text)
	}
	for name, expected := range map[string]string{
		"Content-Type":  "text/plain; charset=utf-8",
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
	} {
		if found := answer.Header().Get(name); found != expected {
			t.Errorf("%s: %s is %q", what, name, found)
		}
	}
}

func TestConfirmationIsAcceptedOnce(t *testing.T) {
	h, body := newHook(t), confirmationEvent(testID)
	expectAnswer(t, "first", h.post(body, h.key.sign(body)), 200, "accepted")
	again := h.key.sign(body)
	again.Set("Webhook-Id", "msg_2")
	expectAnswer(t, "again", h.post(body, again), 200, "already accepted")
	if len(h.verified) != 1 || h.verified[0] != testNumber {
		t.Errorf("%v", h.verified)
	}
}

func TestWebhooksOfOthersAreRefused(t *testing.T) {
	h, body := newHook(t), confirmationEvent(testID)
	unknown, unknownLogin := confirmationEvent("cfm_other"), loginEvent(testID)
	expectAnswer(t, "another's", h.post(unknown, h.key.sign(unknown)), 404, "unknown confirmation")
	expectAnswer(t, "another's login", h.post(unknownLogin, h.key.sign(unknownLogin)), 404, "unknown login")
	expectAnswer(t, "not an event", h.post("{}", h.key.sign("{}")), 400, "not a confirmation")
	expectAnswer(t, "no signature", h.post(body, http.Header{}), 403, "signature refused")
	expectAnswer(t, "wrong signature", h.post(body, h.key.sign(unknown)), 403, "signature refused")
	expectAnswer(t, "unknown key", h.post(body, newSigningKey("x").sign(body)), 500, "cannot verify just now")
	get := serve(h, httptest.NewRequest("GET", "/webhook", nil))
	expectAnswer(t, "GET", get, 405, "POST only")
	if get.Header().Get("Allow") != "POST" {
		t.Error("no Allow")
	}
	if len(h.verified)+len(h.decided) != 0 {
		t.Errorf("%v %v", h.verified, h.decided)
	}
	if strings.Contains(h.log.String(), testNumber) {
		t.Error("a number in the log")
	}
}

func TestLoginWebhookDoesNotUseUpTheLogin(t *testing.T) {
	h := newHook(t)
	h.remember(loginWebhookID(testSession))
	h.remember(testSession)
	body := loginEvent(testSession)
	expectAnswer(t, "first", h.post(body, h.key.sign(body)), 200, "accepted")
	expectAnswer(t, "again", h.post(body, h.key.sign(body)), 200, "already accepted")
	if len(h.decided) != 1 || h.decided[0] != testSession {
		t.Errorf("%v", h.decided)
	}
	outcome, _ := h.client.store.Accept(ctx, testSession, func(context.Context) error { return nil })
	if outcome != Accepted {
		t.Errorf("%v", outcome)
	}
}

func TestEventWithoutACallbackIsNoConfirmation(t *testing.T) {
	h := newHook(t)
	h.remember(loginWebhookID(testSession))
	for body, options := range map[string]WebhookOptions{
		loginEvent(testSession):   {OnVerified: func(context.Context, *WebhookBody) error { return nil }},
		confirmationEvent(testID): {OnLogin: func(context.Context, *LoginWebhookBody) error { return nil }},
	} {
		h.Handler = h.client.WebhookHandler(options)
		expectAnswer(t, body, h.post(body, h.key.sign(body)), 400, "not a confirmation")
	}
}

func TestPhoneThatWasSetUpIsReportedOnce(t *testing.T) {
	h, body := newHook(t), phoneEvent("phr_1")
	var phones []PhoneRegisteredWebhookBody
	h.Handler = h.client.WebhookHandler(WebhookOptions{
		OnPhoneRegistered: func(_ context.Context, event *PhoneRegisteredWebhookBody) error {
			if h.err == nil {
				phones = append(phones, *event)
			}
			return h.err
		},
	})
	expectAnswer(t, "another's", h.post(body, h.key.sign(body)), 404, "unknown registration")
	h.stub.respond(func(w http.ResponseWriter, _ int) { status(200, `{"registrationId":"phr_1"}`)(w) })
	registration := CreatePhoneRegistrationRequest{PublicUserID: "zoe@example.com", Label: "Zoë"}
	if _, err := h.client.PhoneRegistrations.Create(ctx, registration); err != nil {
		t.Fatal(err)
	}
	if sent := h.stub.calls[len(h.stub.calls)-1].body; sent != `{"label":"Zoë","publicUserId":"zoe@example.com"}` {
		t.Errorf("sent %s", sent)
	}
	expectAnswer(t, "forged", h.post(body, h.key.sign(phoneEvent("phr_2"))), 403, "signature refused")
	for _, malformed := range []string{
		phoneEvent(""), strings.Replace(body, `"k1"`, `""`, 1), strings.Replace(body, `"zoe@example.com"`, "7", 1),
		strings.Replace(body, "phone.registered", "phone.removed", 1), body[1:],
	} {
		expectAnswer(t, malformed, h.post(malformed, h.key.sign(malformed)), 400, "not a confirmation")
	}
	h.err = errors.New("no mail server")
	expectAnswer(t, "failing", h.post(body, h.key.sign(body)), 500, "internal error")
	h.err = nil
	expectAnswer(t, "again", h.post(body, h.key.sign(body)), 200, "accepted")
	expectAnswer(t, "repeated", h.post(body, h.key.sign(body)), 200, "already accepted")
	if len(phones) != 1 || phones[0].PublicUserID != "zoe@example.com" || phones[0].Kind != "passkey" || phones[0].Test {
		t.Errorf("%v", phones)
	}
}

func TestPhoneThatWasSetUpIsAcknowledgedWithoutACallback(t *testing.T) {
	h, body := newHook(t), phoneEvent("phr_1")
	expectAnswer(t, "forged", h.post(body, http.Header{}), 403, "signature refused")
	expectAnswer(t, "genuine", h.post(body, h.key.sign(body)), 200, "acknowledged")
	if len(h.verified)+len(h.decided) != 0 {
		t.Errorf("%v %v", h.verified, h.decided)
	}
}

func TestFailedCallbackIsTriedAgain(t *testing.T) {
	h, body := newHook(t), confirmationEvent(testID)
	h.err = errors.New("no database")
	expectAnswer(t, "failing", h.post(body, h.key.sign(body)), 500, "internal error")
	if !strings.Contains(h.log.String(), "no database") {
		t.Errorf("log: %s", &h.log)
	}
	h.err = nil
	expectAnswer(t, "again", h.post(body, h.key.sign(body)), 200, "accepted")
	if len(h.verified) != 2 {
		t.Errorf("%v", h.verified)
	}
}

func TestBodiesOfAtMost64KiBAreRead(t *testing.T) {
	h, body := newHook(t), confirmationEvent(testID)
	full := body + strings.Repeat(" ", 64<<10-len(body))
	tooLarge := full + " "
	expectAnswer(t, "too large", h.post(tooLarge, h.key.sign(tooLarge)), 413, "body too large")
	expectAnswer(t, "full", h.post(full, h.key.sign(full)), 200, "accepted")
}

func TestConsumedBodyIsReportedWithItsRemedy(t *testing.T) {
	h, body := newHook(t), confirmationEvent(testID)
	for name, consume := range map[string]func(*http.Request){
		"read":            func(r *http.Request) { io.ReadAll(r.Body) },
		"read and closed": func(r *http.Request) { r.ParseForm(); io.ReadAll(r.Body); r.Body.Close() },
	} {
		h.log.Reset()
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			consume(r)
			h.ServeHTTP(w, r)
		}))
		request, _ := http.NewRequest("POST", server.URL, strings.NewReader(body))
		request.Header = h.key.sign(body)
		answer, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		server.Close()
		if answer.StatusCode != 500 || !strings.Contains(h.log.String(), "mount this handler outside of it") {
			t.Errorf("%s: %d, log: %s", name, answer.StatusCode, &h.log)
		}
	}
}

func TestRequestWithoutABodyIsAnswered(t *testing.T) {
	h := newHook(t)
	logins := h.client.LoginHandler(LoginOptions{
		Origin:  "https://shop.example",
		FindKey: func(context.Context, string) (*RegisteredKey, error) { return nil, nil },
		OnLogin: func(http.ResponseWriter, *http.Request, Login) error { return nil },
	})
	header := h.key.sign("")
	header.Set("Origin", "https://shop.example")
	for _, length := range []int64{0, -1} {
		request := &http.Request{Method: "POST", Header: header, ContentLength: length}
		expectAnswer(t, "webhook", serve(h, request), 400, "not a confirmation")
		expectAnswer(t, "login", serve(logins, request), 400, "not a login")
	}
	gone := &http.Request{Method: "POST", Header: header, ContentLength: 7}
	expectAnswer(t, "gone", serve(h, gone), 500, "internal error")
	if !strings.Contains(h.log.String(), "pass the raw body") {
		t.Errorf("log: %s", &h.log)
	}
	bare := &http.Request{Method: "POST"}
	expectAnswer(t, "no header", serve(h, bare), 403, "signature refused")
}

func TestHeadersInAnyCaseCount(t *testing.T) {
	h, body := newHook(t), confirmationEvent(testID)
	header := http.Header{}
	for name, values := range h.key.sign(body) {
		header[strings.ToLower(name)] = values
	}
	expectAnswer(t, "lower case", h.post(body, header), 200, "accepted")
}

func TestOriginThatCameTwiceIsRefused(t *testing.T) {
	h := newHook(t)
	logins := h.client.LoginHandler(LoginOptions{
		Origin:  "https://shop.example",
		FindKey: func(context.Context, string) (*RegisteredKey, error) { return nil, nil },
		OnLogin: func(http.ResponseWriter, *http.Request, Login) error { return nil },
	})
	request := httptest.NewRequest("POST", "/login", strings.NewReader("{}"))
	request.Header["Origin"] = []string{"https://shop.example", "https://evil.example"}
	expectAnswer(t, "twice", serve(logins, request), 403, "not logged in")
}

// idleStore accepts without acting.
type idleStore struct{ *MemoryStore }

func (idleStore) Accept(context.Context, string, func(context.Context) error) (Outcome, error) {
	return Accepted, nil
}

func TestStoreThatDoesNotActAcceptsNothing(t *testing.T) {
	h, body := newHook(t), confirmationEvent(testID)
	h.client.store = idleStore{NewMemoryStore()}
	expectAnswer(t, "idle", h.post(body, h.key.sign(body)), 500, "internal error")
}
