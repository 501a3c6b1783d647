package integration

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	countersign "github.com/countersign/countersign/clients/go"
)

const (
	secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	event  = `{"carrier":"","confirmationId":"cfm_1","metadata":{},"phoneNumber":"+12025550100",` +
		`"timestamp":"2026-01-02T03:04:05.678Z","validationStatus":"valid"}`
)

// signed signs an event with the Standard Webhooks project's own library.
func signed(t *testing.T, at time.Time) http.Header {
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign("msg_1", at, []byte(event))
	if err != nil {
		t.Fatal(err)
	}
	return http.Header{
		"Webhook-Id": {"msg_1"}, "Webhook-Timestamp": {strconv.FormatInt(at.Unix(), 10)}, "Webhook-Signature": {signature},
	}
}

// The service's time differs from this machine's by ten minutes, either way.
func TestStandardWebhooksSignatureIsJudgedByTheServicesTime(t *testing.T) {
	for _, difference := range []time.Duration{0, 10 * time.Minute, -10 * time.Minute} {
		now := time.Now().Add(difference)
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
			w.Write([]byte(`{"keys":[]}`))
		}))
		defer service.Close()
		client, err := countersign.New(countersign.Config{URL: service.URL, APIKey: "unused", WebhookSecrets: []string{secret}})
		if err != nil {
			t.Fatal(err)
		}
		for _, age := range []time.Duration{0, 4 * time.Minute, -4 * time.Minute} {
			if _, err := client.Webhooks.Verify(ctx, []byte(event), signed(t, now.Add(-age))); err != nil {
				t.Errorf("%v, age %v: %v", difference, age, err)
			}
		}
		for _, age := range []time.Duration{6 * time.Minute, -6 * time.Minute, 10 * time.Minute, -10 * time.Minute} {
			_, err := client.Webhooks.Verify(ctx, []byte(event), signed(t, now.Add(-age)))
			var refused *countersign.WebhookVerificationError
			if !errors.As(err, &refused) || refused.Reason != countersign.ReasonTimestampOutOfRange {
				t.Errorf("%v, age %v: %v", difference, age, err)
			}
		}
	}
}

func TestServicesOwnWebhookSignature(t *testing.T) {
	s := startServer(t)
	former := s.webhookSecrets()
	acquireOnce(t, s, s.client(func(c *countersign.Config) { c.WebhookSecrets = former }))

	// While the secret is being replaced, either secret may sign.
	both := s.webhookSecrets("--rotate")
	if len(former) != 1 || len(both) != 2 || both[1] != former[0] {
		t.Fatalf("%d secrets, then %d", len(former), len(both))
	}
	acquireOnce(t, s, s.client(func(c *countersign.Config) { c.WebhookSecrets = both }))
}

// webhookSecrets returns the demo app's secrets, newest first.
func (s *server) webhookSecrets(options ...string) []string {
	s.t.Helper()
	var answer struct{ WebhookSecrets []string }
	text := s.run(append([]string{"app", "webhook-secret", "demo", "--json"}, options...)...)
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.WebhookSecrets
}

func TestWebhookOfAnotherAppsSecretIsRefused(t *testing.T) {
	s := startServer(t)
	client := s.client(func(c *countersign.Config) { c.WebhookSecrets = []string{secret} })
	hook := startReceiver(t, client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(context.Context, *countersign.WebhookBody) error { t.Error("acted"); return nil },
	}))
	s.run("webhook", "test", "--app", "demo", "--url", hook.URL)
	hook.expect("403 signature refused")
}
