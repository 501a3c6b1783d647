package integration

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

const number = "+12025550100"

func hasCode(err error, code string) bool {
	var problem *countersign.ProblemError
	return errors.As(err, &problem) && problem.Code == code && problem.RequestID != ""
}

// waitFor requests the confirmation until it meets the test's condition.
func waitFor(
	t *testing.T, client *countersign.Client, id string, done func(*countersign.Confirmation) bool,
) *countersign.Confirmation {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		confirmation, err := client.Confirmations.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if done(confirmation) {
			return confirmation
		}
	}
	t.Fatal("the confirmation does not change")
	return nil
}

func isDelivered(c *countersign.Confirmation) bool {
	return c.Delivery != nil && c.Delivery.Status == countersign.DeliveryStatusDelivered
}

func TestNumberIsAcquiredOnce(t *testing.T) {
	s := startServer(t)
	acquireOnce(t, s, s.client(nil))
}

func acquireOnce(t *testing.T, s *server, client *countersign.Client) {
	verified := make(chan *countersign.WebhookBody, 10)
	hook := startReceiver(t, client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(_ context.Context, event *countersign.WebhookBody) error {
			verified <- event
			return nil
		},
	}))
	started, err := client.Confirmations.Acquire(ctx, countersign.AcquireRequest{
		CallbackURL: hook.URL, Metadata: countersign.Metadata{"html": "<é&>"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.text(number, started)
	event := receive(t, verified)
	if event.ConfirmationID != started.ConfirmationID || event.PhoneNumber != number || event.Metadata["html"] != "<é&>" {
		t.Errorf("%+v", event)
	}
	hook.expect("200 accepted")
	waitFor(t, client, started.ConfirmationID, isDelivered)

	if _, err := client.Confirmations.Redeliver(ctx, started.ConfirmationID); err != nil {
		t.Fatal(err)
	}
	hook.expect("200 already accepted")
	if len(verified) != 0 {
		t.Error("acted twice")
	}
	waitFor(t, client, started.ConfirmationID, isDelivered)

	redacted, err := client.Confirmations.Redact(ctx, started.ConfirmationID)
	if err != nil || redacted.RedactedAt.IsZero() || redacted.PhoneNumber != "" || redacted.Result == nil ||
		redacted.Result.PhoneNumber != "" {
		t.Errorf("%+v, %v", redacted, err)
	}
}

func TestConfirmationOfAKnownNumber(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	hook := startReceiver(t, client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(context.Context, *countersign.WebhookBody) error { return nil },
	}))
	request := countersign.ConfirmRequest{CallbackURL: hook.URL, PhoneNumber: "+1 (202) 555-0100"}
	started, err := client.Confirmations.Confirm(ctx, request, countersign.WithIdempotencyKey("one"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := client.Confirmations.Confirm(ctx, request, countersign.WithIdempotencyKey("one"))
	if err != nil || again.ConfirmationID != started.ConfirmationID {
		t.Errorf("%+v, %v", again, err)
	}
	s.text("+12025550101", started)
	missed := waitFor(t, client, started.ConfirmationID, func(c *countersign.Confirmation) bool { return c.LastMiss != nil })
	if missed.LastMiss.Reason != countersign.LastMissReasonWrongSender || missed.Status != countersign.ConfirmationStatusOpen {
		t.Errorf("%+v", missed)
	}
	s.text(number, started)
	hook.expect("200 accepted")
	if _, err := client.Confirmations.Cancel(ctx, started.ConfirmationID); !hasCode(err, "confirmation_verified") {
		t.Errorf("%v", err)
	}
}

func TestNumberOfATestIsFoundInTheRecord(t *testing.T) {
	s := startServer(t)
	var key struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run("key", "issue", "demo", "--test", "--json")), &key); err != nil {
		t.Fatal(err)
	}
	client := s.client(func(c *countersign.Config) { c.APIKey = key.APIKey })
	verified := make(chan *countersign.WebhookBody, 10)
	hook := startReceiver(t, client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(_ context.Context, event *countersign.WebhookBody) error { verified <- event; return nil },
	}))
	records := make(map[string]string)
	_, err := client.Confirmations.Confirm(ctx, countersign.ConfirmRequest{
		CallbackURL: hook.URL, PhoneNumber: "(500) 555-0001", Country: "US",
	}, countersign.WithOnStarted(func(_ context.Context, started *countersign.ConfirmationSession) error {
		records[started.ConfirmationID] = started.PhoneNumber
		return nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	// The webhook is sent once, after the answer, and contains the number of the record.
	hook.expect("200 accepted")
	event := receive(t, verified)
	if len(records) != 1 || records[event.ConfirmationID] != event.PhoneNumber {
		t.Errorf("%v, %+v", records, event)
	}
	settled := waitFor(t, client, event.ConfirmationID, isDelivered)
	if len(settled.Delivery.Attempts) != 1 {
		t.Errorf("%+v", settled.Delivery)
	}
}

func TestWebhooksOfAnotherServerOfTheAppAreUnknown(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	hook := startReceiver(t, client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(context.Context, *countersign.WebhookBody) error { t.Error("acted"); return nil },
	}))
	s.run("webhook", "test", "--app", "demo", "--url", hook.URL)
	hook.expect("404 unknown confirmation")
}

func TestFailingCallbackGetsTheWebhookAgain(t *testing.T) {
	s := startServer(t)
	client, calls := s.client(nil), 0
	hook := startReceiver(t, client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(context.Context, *countersign.WebhookBody) error {
			if calls++; calls == 1 {
				return errors.New("no database")
			}
			return nil
		},
	}))
	started, err := client.Confirmations.Acquire(ctx, countersign.AcquireRequest{CallbackURL: hook.URL})
	if err != nil {
		t.Fatal(err)
	}
	s.text(number, started)
	hook.expect("500 internal error")
	hook.expect("200 accepted") // the service's own retry, after two seconds
}

func TestCancelledConfirmation(t *testing.T) {
	client := startServer(t).client(nil)
	started, err := client.Confirmations.Acquire(ctx, countersign.AcquireRequest{CallbackURL: "http://127.0.0.1:9/"})
	if err != nil {
		t.Fatal(err)
	}
	cancelled, err := client.Confirmations.Cancel(ctx, started.ConfirmationID)
	if err != nil || cancelled.Status != countersign.ConfirmationStatusCancelled || cancelled.CancelledAt.IsZero() {
		t.Errorf("%+v, %v", cancelled, err)
	}
}

func TestRefusalsAreProblems(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	stranger := s.client(func(c *countersign.Config) { c.APIKey = "cs_live_unknown" })
	for code, call := range map[string]func() error{
		"phone_number_not_possible": func() error {
			_, err := client.Confirmations.Confirm(ctx, countersign.ConfirmRequest{
				PhoneNumber: "+1202", CallbackURL: "http://127.0.0.1:9/",
			})
			return err
		},
		"confirmation_not_found": func() error { _, err := client.Confirmations.Get(ctx, "cfm_0"); return err },
		"api_key_malformed":      func() error { _, err := stranger.Confirmations.Get(ctx, "cfm_0"); return err },
		"session_not_found":      func() error { return client.Logins.Cancel(ctx, "qrs_00000000000000000000000000000000") },
	} {
		if err := call(); !hasCode(err, code) {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestList(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	var started []string
	for range 5 {
		confirmation, err := client.Confirmations.Acquire(ctx, countersign.AcquireRequest{CallbackURL: "http://127.0.0.1:9/"})
		if err != nil {
			t.Fatal(err)
		}
		started = append(started, confirmation.ConfirmationID)
	}
	var listed []string
	options := countersign.ListOptions{Status: countersign.ConfirmationStatusOpen, Limit: 2}
	for confirmation, err := range client.Confirmations.List(ctx, options) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, confirmation.ConfirmationID)
	}
	slices.Sort(started)
	slices.Sort(listed)
	if !slices.Equal(started, listed) {
		t.Errorf("%v, expected %v", listed, started)
	}
}
