package countersign

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

func TestStartSendsTheRequestAndRemembersTheID(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	s.respond(replies(status(200, session(testID, testTime)), status(200, session("cfm_2", testTime))))
	started, err := client.Confirmations.Acquire(ctx, AcquireRequest{
		CallbackURL: "https://shop.example/hook", Metadata: Metadata{"order": "17"},
	}, WithIdempotencyKey("order-17"), WithField("country", "DE"))
	if err != nil {
		t.Fatal(err)
	}
	if started.ConfirmationID != testID || started.ExpiresIn != 300 || !started.ServerTime.Equal(testTime) {
		t.Errorf("%+v", started)
	}
	if _, err := client.Confirmations.Confirm(ctx, ConfirmRequest{PhoneNumber: testNumber}); err != nil {
		t.Fatal(err)
	}
	acquire, confirm := s.calls[0], s.calls[1]
	if acquire.method != "POST" || acquire.path != "/acquire-phone-number" ||
		acquire.body != `{"callbackUrl":"https://shop.example/hook","country":"DE","metadata":{"order":"17"}}` ||
		acquire.header.Get("Idempotency-Key") != "order-17" || acquire.header.Get("X-Api-Key") != testAPIKey {
		t.Errorf("%+v", acquire)
	}
	if confirm.path != "/make-confirmation" || confirm.body != `{"phoneNumber":"+12025550100"}` {
		t.Errorf("%+v", confirm)
	}
	for _, id := range []string{testID, "cfm_2"} {
		outcome, err := client.store.Accept(ctx, id, func(context.Context) error { return nil })
		if outcome != Accepted || err != nil {
			t.Errorf("%s: %v, %v", id, outcome, err)
		}
	}
}

func TestIDsAreRememberedForEightDays(t *testing.T) {
	s, store := newStub(t), &recordingStore{}
	client := newTestClient(t, s, &testWorld{}, func(c *Config) { c.Store = store })
	s.respond(replies(status(200, session(testID, testTime)), status(200, `{"sessionId":"qrs_1"}`)))
	if _, err := client.Confirmations.Acquire(ctx, AcquireRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Logins.Create(ctx, "token", CreateSessionRequest{Origin: "https://shop.example"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(store.remembered, []string{testID + " 192h0m0s", "webhook:qrs_1 192h0m0s"}) {
		t.Errorf("%v", store.remembered)
	}
	if call := s.calls[1]; call.header.Get("Authorization") != "Bearer token" ||
		call.body != `{"origin":"https://shop.example"}` {
		t.Errorf("%+v", call)
	}
}

// recordingStore records the remembered ids, and fails if it has an error.
type recordingStore struct {
	err        error
	remembered []string
}

func (s *recordingStore) Remember(
	ctx context.Context, id string, ttl time.Duration, act func(context.Context) error,
) (bool, error) {
	s.remembered = append(s.remembered, fmt.Sprint(id, " ", ttl))
	if s.err != nil {
		return false, s.err
	}
	return true, act(ctx)
}

func (s *recordingStore) Accept(context.Context, string, func(context.Context) error) (Outcome, error) {
	return Unknown, s.err
}

func TestFailureOfTheStoreIsReturned(t *testing.T) {
	s, store := newStub(t), &recordingStore{err: errors.New("no database")}
	client := newTestClient(t, s, &testWorld{}, func(c *Config) { c.Store = store })
	s.respond(replies(status(200, session(testID, testTime))))
	started, err := client.Confirmations.Acquire(ctx, AcquireRequest{})
	if !errors.Is(err, store.err) || started != nil {
		t.Errorf("%v, %v", started, err)
	}
}

func TestOtherRequests(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	key := RegisterAssociationKeyRequest{PublicUserID: "zoe", PublicKey: "MFkw"}
	phone := CreatePhoneRegistrationRequest{PublicUserID: "zoe"}
	for _, test := range []struct {
		call     func() error
		expected string
		status   int
		body     string
	}{
		{func() error { _, err := client.Confirmations.Get(ctx, "a/b"); return err }, "GET /confirmations/a/b", 200, `{}`},
		{func() error { _, err := client.Confirmations.Cancel(ctx, "1"); return err }, "DELETE /confirmations/1", 200, `{}`},
		{func() error { _, err := client.Confirmations.Redact(ctx, "1"); return err }, "POST /confirmations/1/redact", 200, `{}`},
		{func() error { _, err := client.Confirmations.Redeliver(ctx, "1"); return err }, "POST /confirmations/1/redeliver", 202, `{}`},
		{func() error { _, err := client.Logins.Get(ctx, "1"); return err }, "GET /qr-sessions/1", 200, `{}`},
		{func() error { return client.Logins.Cancel(ctx, "1") }, "DELETE /qr-sessions/1", 204, ""},
		{func() error { _, err := client.AssociationKeys.Register(ctx, key); return err }, "POST /association-keys", 200, `{"keyId":"k"}`},
		{func() error { _, err := client.AssociationKeys.List(ctx, "z&e"); return err }, "GET /association-keys?publicUserId=z%26e", 200, `{"keys":[]}`},
		{func() error { return client.AssociationKeys.Revoke(ctx, "k") }, "DELETE /association-keys/k", 200, `{"keyId":"k"}`},
		{
			func() error { _, err := client.PhoneRegistrations.Create(ctx, phone); return err },
			"POST /phone-registrations", 200, `{"registrationId":"phr_1"}`,
		},
		{func() error { _, err := client.PhoneRegistrations.Get(ctx, "phr_1"); return err }, "GET /phone-registrations/phr_1", 200, `{}`},
		{func() error { return client.PhoneRegistrations.Cancel(ctx, "1") }, "DELETE /phone-registrations/1", 204, ""},
	} {
		s.respond(func(w http.ResponseWriter, _ int) { status(test.status, test.body)(w) })
		if err := test.call(); err != nil {
			t.Errorf("%s: %v", test.expected, err)
		}
		last := s.calls[len(s.calls)-1]
		found := last.method + " " + last.path
		if last.query != "" {
			found += "?" + last.query
		}
		if found != test.expected {
			t.Errorf("%s, expected %s", found, test.expected)
		}
	}
}

func TestListFetchesAllPages(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	s.respond(replies(
		status(200, `{"confirmations":[{"confirmationId":"1"},{"confirmationId":"2"}],"nextCursor":"c&1"}`),
		status(200, `{"confirmations":[],"nextCursor":"c2"}`),
		status(200, `{"confirmations":[{"confirmationId":"3"}]}`),
	))
	options := ListOptions{
		Status: ConfirmationStatusVerified, LastDigits: "0100", Limit: 2,
		CreatedFrom: testTime, CreatedBefore: testTime.Add(time.Hour),
	}
	var ids []string
	for confirmation, err := range client.Confirmations.List(ctx, options) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, confirmation.ConfirmationID)
	}
	if !slices.Equal(ids, []string{"1", "2", "3"}) {
		t.Errorf("%v", ids)
	}
	filter := "createdBefore=2026-01-02T04%3A04%3A05.000Z&createdFrom=2026-01-02T03%3A04%3A05.000Z"
	rest := "&lastDigits=0100&limit=2&status=verified"
	for i, expected := range []string{filter + rest, filter + "&cursor=c%261" + rest, filter + "&cursor=c2" + rest} {
		// Encode sorts by name.
		if s.calls[i].query != sorted(expected) {
			t.Errorf("page %d: %s", i, s.calls[i].query)
		}
	}
}

func sorted(query string) string {
	request, _ := http.NewRequest("GET", "/?"+query, nil)
	return request.URL.Query().Encode()
}

func TestListOfLoginsFetchesAllPages(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	s.respond(replies(
		status(200, `{"sessions":[{"sessionId":"1"},{"sessionId":"2"}],"nextCursor":"c&1"}`),
		status(200, `{"sessions":[{"sessionId":"3"}]}`),
	))
	query := LoginListOptions{State: SessionStateConfirmed, Limit: 2, CreatedFrom: testTime}
	var ids []string
	for login, err := range client.Logins.List(ctx, query) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, login.SessionID)
	}
	if !slices.Equal(ids, []string{"1", "2", "3"}) {
		t.Errorf("%v", ids)
	}
	filter := "createdFrom=2026-01-02T03%3A04%3A05.000Z&limit=2&state=confirmed"
	for i, expected := range []string{filter, filter + "&cursor=c%261"} {
		if s.calls[i].query != sorted(expected) {
			t.Errorf("page %d: %s", i, s.calls[i].query)
		}
	}
}

func TestListStopsWithTheCallerAndAtErrors(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil)
	page := status(200, `{"confirmations":[{"confirmationId":"1"},{"confirmationId":"2"}],"nextCursor":"c"}`)
	s.respond(replies(page, page, status(401, problem)))
	for range client.Confirmations.List(ctx, ListOptions{}) {
		break
	}
	if len(s.calls) != 1 || s.calls[0].query != "" {
		t.Errorf("%+v", s.calls)
	}
	var found *ProblemError
	count := 0
	for _, err := range client.Confirmations.List(ctx, ListOptions{}) {
		if count++; count == 3 && !errors.As(err, &found) || count < 3 && err != nil {
			t.Errorf("%d: %v", count, err)
		}
	}
	if count != 3 {
		t.Errorf("%d rounds", count)
	}
}
