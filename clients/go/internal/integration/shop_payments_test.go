package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/countersigntest"
)

func TestShopIsPaidOnce(t *testing.T) {
	s := startServer(t)
	client := s.testClient(nil)
	shop := newTestShop(t, s, client)
	phone := shop.phone(user)
	opened := open(t, phone, shop.startPayment().URL)
	if opened.Context != payment || opened.Origin != shop.origin {
		t.Errorf("%+v", opened)
	}
	if found := shop.post("/paid"); found != "pending" {
		t.Error(found)
	}
	if _, err := opened.Confirm(ctx, ""); err != nil {
		t.Fatal(err)
	}
	for range 2 { // onResult fails at a repetition.
		if found := shop.post("/paid"); found != "approved" {
			t.Error(found)
		}
	}
}

func TestPaymentsThatFail(t *testing.T) {
	s := startServer(t)
	client := s.testClient(nil)
	shop := newTestShop(t, s, client)
	phone := shop.phone(user)
	stranger := newPhone(t, client, user)
	for _, test := range []struct {
		name     string
		decide   func(*countersigntest.Opened) error
		expected string
	}{
		{"denied", func(o *countersigntest.Opened) error { return o.Deny(ctx) }, "denied"},
		{"a wrong key", func(o *countersigntest.Opened) error {
			_, err := o.Confirm(ctx, "", countersigntest.SignWith(stranger))
			return err
		}, "denied"},
		{"late", func(o *countersigntest.Opened) error {
			if err := o.ConfirmLate(ctx, ""); statusOf(err) != http.StatusGone {
				return fmt.Errorf("a late answer: %w", err)
			}
			return nil
		}, "expired"},
	} {
		opened := open(t, phone, shop.startPayment().URL)
		if err := test.decide(opened); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if found := shop.post("/paid"); found != test.expected {
			t.Errorf("%s: %s", test.name, found)
		}
	}
}

func TestAnotherUserCannotPay(t *testing.T) {
	s := startServer(t)
	client := s.testClient(nil)
	shop := newTestShop(t, s, client)
	mallory := shop.phone("mallory@example.com")
	session := shop.startPayment()
	if _, err := mallory.Open(ctx, session.URL); !hasCode(err, "user_mismatch") {
		t.Errorf("%v", err)
	}
	// The phone that names no user may open it, but its key belongs to another user.
	opened, err := mallory.Open(ctx, session.URL, countersigntest.As(""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.Confirm(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if found := shop.post("/paid"); found != "denied" {
		t.Error(found)
	}
}

func TestPaymentOfAClosedPageIsReported(t *testing.T) {
	s := startServer(t)
	client := s.testClient(nil)
	shop := newTestShop(t, s, client)
	phone := shop.phone(user)
	hook := startReceiver(t, shop.Config.Handler)
	s.run("app", "update", "demo", "--login-callback", hook.URL+"/webhook")
	opened := open(t, phone, shop.startPayment().URL)
	if _, err := opened.Confirm(ctx, ""); err != nil {
		t.Fatal(err)
	}
	hook.expect("200 accepted")
	if status := shop.payments[opened.SessionID]; status != countersign.ApprovalApproved {
		t.Error(status)
	}
	if found := shop.post("/paid"); found != "approved" {
		t.Error(found)
	}
}

// watch requests the state of a login as a page does.
func watch(t *testing.T, s *server, session countersign.ApprovalSession) (int, string) {
	t.Helper()
	request, _ := http.NewRequest("GET", s.Demo.URL+"/qr-sessions/"+session.SessionID, nil)
	request.Header.Set("Authorization", "Bearer "+session.Token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var login struct{ State string }
	_ = json.NewDecoder(answer.Body).Decode(&login)
	return answer.StatusCode, login.State
}

func TestPageWatchesAndRedeemsNothing(t *testing.T) {
	s := startServer(t)
	client := s.testClient(nil)
	shop := newTestShop(t, s, client)
	phone := shop.phone(user)
	session := shop.startPayment()
	if status, state := watch(t, s, session); status != 200 || state != "created" {
		t.Errorf("%d %s", status, state)
	}
	if _, err := open(t, phone, session.URL).Confirm(ctx, "a token"); err != nil {
		t.Fatal(err)
	}
	if status, state := watch(t, s, session); status != 200 || state != "confirmed" {
		t.Errorf("%d %s", status, state)
	}
	request, _ := http.NewRequest("POST", s.Demo.URL+"/qr-sessions/"+session.SessionID+"/redeem",
		bytes.NewReader([]byte(`{"receipt":"AAAAAAAAAAAAAAAAAAAAAA"}`)))
	request.Header.Set("Authorization", "Bearer "+session.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNotFound {
		t.Error(answer.StatusCode)
	}
}

// checkCode sends digits as the page does, and returns the status.
func checkCode(t *testing.T, s *server, session countersign.ApprovalSession, digits string) int {
	t.Helper()
	request, _ := http.NewRequest("POST", s.Demo.URL+"/qr-sessions/"+session.SessionID+"/check-code",
		bytes.NewReader([]byte(`{"checkCode":"`+digits+`"}`)))
	request.Header.Set("Authorization", "Bearer "+session.Token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestPaymentWaitsForItsDigits(t *testing.T) {
	s := startServer(t)
	s.run("app", "update", "demo", "--check-code", "on")
	client := s.testClient(nil)
	shop := newTestShop(t, s, client)
	phone := shop.phone(user)
	session := shop.startPayment()
	opened := open(t, phone, session.URL)
	if _, err := opened.Confirm(ctx, ""); err != nil {
		t.Fatal(err)
	}
	if found := shop.post("/paid"); found != "pending" || !session.CheckCodeRequired {
		t.Errorf("%s, %+v", found, session)
	}
	if status := checkCode(t, s, session, opened.CheckCode); status != http.StatusNoContent {
		t.Error(status)
	}
	if found := shop.post("/paid"); found != "approved" {
		t.Error(found)
	}
}
