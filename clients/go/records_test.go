package countersign

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// shop is a client and a handler that uses a shop's records.
type shop struct {
	client  *Client
	stub    *stub
	key     signingKey
	handler http.Handler
	records map[string]string
}

func newShop(t *testing.T, change func(*Config)) *shop {
	s := &shop{stub: newStub(t), key: newSigningKey("first"), records: make(map[string]string)}
	s.stub.publish(s.key)
	s.stub.respond(func(w http.ResponseWriter, _ int) {
		body := strings.Replace(session(testID, testTime), "{", `{"phoneNumber":"`+testNumber+`",`, 1)
		status(200, body)(w)
	})
	s.client = newTestClient(t, s.stub, &testWorld{}, change)
	s.handler = s.client.WebhookHandler(WebhookOptions{
		OnVerified: func(_ context.Context, event *WebhookBody) error {
			if _, ok := s.records[event.ConfirmationID]; !ok {
				return fmt.Errorf("%s: %w", event.ConfirmationID, ErrRecordMissing)
			}
			s.records[event.ConfirmationID] = event.PhoneNumber
			return nil
		},
	})
	return s
}

func (s *shop) record(_ context.Context, started *ConfirmationSession) error {
	s.records[started.ConfirmationID] = ""
	return nil
}

func (s *shop) expect(t *testing.T, code int, text string) {
	t.Helper()
	body := confirmationEvent(testID)
	hook := hook{Handler: s.handler}
	answer := hook.post(body, s.key.sign(body))
	if found := strings.TrimSpace(answer.Body.String()); answer.Code != code || found != text {
		t.Errorf("%d %s, expected %d %s", answer.Code, found, code, text)
	}
}

func TestRecordIsWrittenBeforeTheCallReturns(t *testing.T) {
	calls := map[string]func(*shop) (*ConfirmationSession, error){
		"acquire": func(s *shop) (*ConfirmationSession, error) {
			return s.client.Confirmations.Acquire(ctx, AcquireRequest{}, WithOnStarted(s.record))
		},
		"confirm": func(s *shop) (*ConfirmationSession, error) {
			request := ConfirmRequest{PhoneNumber: "(202) 555-0100", Country: "US"}
			return s.client.Confirmations.Confirm(ctx, request, WithOnStarted(s.record))
		},
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, nil)
			started, err := call(s)
			if err != nil || started.PhoneNumber != testNumber {
				t.Fatalf("%+v, error %v", started, err)
			}
			if _, ok := s.records[testID]; !ok {
				t.Error("there is no record")
			}
			s.expect(t, 200, "accepted")
			if s.records[testID] != testNumber {
				t.Errorf("%v", s.records)
			}
		})
	}
}

func TestWebhookWithoutARecordComesAgainUntilItIsThere(t *testing.T) {
	s := newShop(t, nil)
	if _, err := s.client.Confirmations.Acquire(ctx, AcquireRequest{}); err != nil {
		t.Fatal(err)
	}
	s.expect(t, 503, "record missing")
	s.records[testID] = ""
	s.expect(t, 200, "accepted")
	s.expect(t, 200, "already accepted")
	if s.records[testID] != testNumber {
		t.Errorf("%v", s.records)
	}
}

func TestCallWhoseRecordCannotBeWrittenFailsAndRemembersNothing(t *testing.T) {
	s := newShop(t, nil)
	failure := errors.New("no database")
	fail := func(context.Context, *ConfirmationSession) error { return failure }
	call := func(write func(context.Context, *ConfirmationSession) error) error {
		_, err := s.client.Confirmations.Acquire(
			ctx, AcquireRequest{}, WithIdempotencyKey("order-17"), WithOnStarted(write))
		return err
	}
	if err := call(fail); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	s.expect(t, 404, "unknown confirmation")
	if err := call(s.record); err != nil {
		t.Fatal(err)
	}
	s.expect(t, 200, "accepted")
	// The record of a repeated call would replace the verified one.
	if err := call(fail); err != nil || s.records[testID] != testNumber {
		t.Errorf("%v, error %v", s.records, err)
	}
}

func TestRecordThatNothingWritesIsRefusedBeforeTheStart(t *testing.T) {
	s := newShop(t, nil)
	if _, err := s.client.Confirmations.Acquire(ctx, AcquireRequest{}, WithOnStarted(nil)); err == nil || len(s.stub.calls) > 0 {
		t.Errorf("error %v, %d requests", err, len(s.stub.calls))
	}
}

// unwritingStore reports an id as new, but does not act.
type unwritingStore struct{ recordingStore }

func (*unwritingStore) Remember(context.Context, string, time.Duration, func(context.Context) error) (bool, error) {
	return true, nil
}

func TestStoreThatDoesNotRunTheActIsRefused(t *testing.T) {
	s := newShop(t, func(c *Config) { c.Store = &unwritingStore{} })
	_, err := s.client.Confirmations.Acquire(ctx, AcquireRequest{}, WithOnStarted(s.record))
	if err == nil || !strings.Contains(err.Error(), "its act has not succeeded") {
		t.Errorf("error %v", err)
	}
}
