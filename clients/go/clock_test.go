package countersign

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

var wrongClocks = []time.Duration{-10 * time.Minute, 10 * time.Minute, -24 * 365 * time.Hour, 24 * 365 * time.Hour}

func TestWrongClockIsCorrectedByTheKeySet(t *testing.T) {
	for _, wrong := range wrongClocks {
		s, world := newStub(t), &testWorld{wall: testTime.Add(wrong)}
		client := newTestClient(t, s, world, nil)
		if now := client.time(ctx); !now.Equal(testTime) || s.fetches() != 1 {
			t.Errorf("%v: %v after %d fetches", wrong, now, s.fetches())
		}
		world.pass(time.Hour)
		if now := client.time(ctx); !now.Equal(testTime.Add(time.Hour)) || s.fetches() != 1 {
			t.Errorf("%v: an hour later: %v after %d fetches", wrong, now, s.fetches())
		}
	}
}

func TestNewestAnswerTellsTheTime(t *testing.T) {
	s, world := newStub(t), &testWorld{wall: testTime.Add(time.Hour)}
	client := newTestClient(t, s, world, nil)
	later := testTime.Add(1500 * time.Millisecond)
	s.respond(replies(
		status(200, `{}`), // by its Date
		status(200, `{"serverTime":"`+timestamp(later)+`"}`),
		status(404, `{"code":"x"}`, "Date", testTime.Add(time.Minute).Format(http.TimeFormat)),
		status(200, `{}`, "Age", "120"),
		status(200, `{}`, "Date", "yesterday"),
	))
	for _, expected := range []time.Time{
		testTime, later, testTime.Add(time.Minute), testTime.Add(2 * time.Minute), testTime.Add(2 * time.Minute),
	} {
		client.Confirmations.Get(ctx, testID)
		if now := client.time(ctx); !now.Equal(expected) {
			t.Errorf("%v, expected %v", now, expected)
		}
	}
	if s.fetches() != 0 {
		t.Errorf("%d fetches", s.fetches())
	}
}

func TestSettingTheClockMakesTheClientLearnAgain(t *testing.T) {
	s, world := newStub(t), &testWorld{wall: testTime.Add(-10 * time.Minute)}
	client := newTestClient(t, s, world, nil)
	client.time(ctx)
	world.pass(time.Minute)
	world.wall = world.wall.Add(10 * time.Minute) // the clock is corrected
	s.now = func() time.Time { return testTime.Add(time.Minute) }
	if now := client.time(ctx); !now.Equal(testTime.Add(time.Minute)) || s.fetches() != 2 {
		t.Errorf("%v after %d fetches", now, s.fetches())
	}
}

func TestMachinesClockCountsIfTheServiceIsNotReached(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{wall: testTime.Add(time.Second)}, nil)
	s.keys = func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	for range 3 {
		if now := client.time(ctx); !now.Equal(testTime.Add(time.Second)) {
			t.Errorf("%v", now)
		}
	}
	if s.fetches() != 1 {
		t.Errorf("%d fetches", s.fetches())
	}
}

func TestWebhookTimestampIsJudgedByTheServicesTime(t *testing.T) {
	body := confirmationEvent(testID)
	for _, wrong := range wrongClocks {
		for age, fits := range map[time.Duration]bool{
			0: true, 5 * time.Minute: true, -5 * time.Minute: true,
			5*time.Minute + time.Second: false, -5*time.Minute - time.Second: false,
			// The wrong clock would accept this time.
			-wrong: false,
		} {
			s, world := newStub(t), &testWorld{wall: testTime.Add(wrong)}
			client := newTestClient(t, s, world, func(c *Config) { c.WebhookSecrets = []string{testSecret} })
			header := secretHeader(testSecret, "msg_1", testTime.Add(-age), body)
			_, err := client.Webhooks.Verify(ctx, []byte(body), header)
			if fits && err != nil || !fits && !hasReason(err, ReasonTimestampOutOfRange) {
				t.Errorf("clock %v, age %v: %v", wrong, age, err)
			}
		}
	}
}

func TestForgedWebhookDoesNotAskForTheTime(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, func(c *Config) { c.WebhookSecrets = []string{testSecret} })
	header := secretHeader(otherSecret, "msg_1", testTime, "{}")
	if _, err := client.Webhooks.Verify(ctx, []byte("{}"), header); !hasReason(err, ReasonSignatureWrong) {
		t.Error(err)
	}
	if s.fetches() != 0 {
		t.Errorf("%d fetches", s.fetches())
	}
}

func TestProofIsJudgedByTheServicesTime(t *testing.T) {
	for _, wrong := range wrongClocks {
		for age, fits := range map[time.Duration]bool{
			0: true, 359 * time.Second: true, -60 * time.Second: true,
			361 * time.Second: false, -61 * time.Second: false, -wrong: false,
		} {
			phone := newPhone()
			phone.at = testTime.Add(-age)
			client := newTestClient(t, newStub(t), &testWorld{wall: testTime.Add(wrong)}, nil)
			_, err := client.Logins.Verify(ctx, phone.detail(phone.proof()), phone.expected())
			if fits && err != nil || !fits && !isRefused(err) {
				t.Errorf("clock %v, age %v: %v", wrong, age, err)
			}
		}
	}
}

func unixText(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
