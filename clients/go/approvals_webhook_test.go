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

// deliver posts an event about the approval to a handler.
func (a *approver) deliver(handler http.Handler) string {
	key := newSigningKey("first")
	a.publish(key)
	a.client.keys = newKeySet(time.Second, time.Minute, func() time.Duration { return 0 }, a.client.fetchKeys)
	body := loginEvent(a.id)
	h := hook{Handler: handler}
	answer := h.post(body, key.sign(body))
	return fmt.Sprint(answer.Code, " ", answer.Body)
}

func TestWebhookReportsAnApprovalWhosePageWasClosed(t *testing.T) {
	a := newApprover(t, nil)
	var acted []ApprovalResult
	failure := error(nil)
	handler := a.client.WebhookHandler(WebhookOptions{
		OnApproval: func(_ context.Context, result *ApprovalResult) error {
			acted = append(acted, *result)
			return failure
		},
		OnLogin: func(context.Context, *LoginWebhookBody) error { t.Error("an approval is no login"); return nil },
	})
	expect := func(what, expected string) {
		t.Helper()
		if found := a.deliver(handler); found != expected {
			t.Errorf("%s: %s, expected %s", what, found, expected)
		}
	}
	a.start()
	a.confirm()
	a.login["checkCodeRequired"] = true
	expect("waits for its digits", "503 not decided yet")
	a.login["state"] = "consumed"
	failure = errors.New("no database")
	expect("callback fails", "500 internal error")
	failure = fmt.Errorf("%w", ErrRecordMissing)
	expect("no record", "503 record missing")
	failure = nil
	expect("first", "200 accepted")
	expect("again", "200 already accepted")
	if !slices.Equal(acted, []ApprovalResult{a.approved(), a.approved(), a.approved()}) {
		t.Errorf("%v", acted)
	}

	a.start()
	a.login["state"] = "denied"
	expect("denied", "200 accepted")
	if last := acted[len(acted)-1]; last != (ApprovalResult{ID: a.id, Status: ApprovalDenied, Reason: ReasonDenied}) {
		t.Errorf("%+v", last)
	}
}

func TestWebhookOfAReportedApprovalIsRepeated(t *testing.T) {
	a := newApprover(t, nil)
	handler := a.client.WebhookHandler(WebhookOptions{
		OnApproval: func(context.Context, *ApprovalResult) error { t.Error("acted twice"); return nil },
	})
	a.start()
	a.confirm()
	if result, err := a.result(ApprovalOptions{}); err != nil || result.Status != ApprovalApproved {
		t.Errorf("%+v, %v", result, err)
	}
	if found := a.deliver(handler); found != "200 already accepted" {
		t.Error(found)
	}
}

func TestWebhooksOfUnknownApprovalsAreRefused(t *testing.T) {
	a := newApprover(t, nil)
	handler := a.client.WebhookHandler(WebhookOptions{
		OnApproval: func(context.Context, *ApprovalResult) error { t.Error("acted"); return nil },
	})
	for expected, change := range map[string]func(){
		"404 unknown approval":       func() { a.login["expectedPublicUserId"] = "yan@example.com" },
		"500 cannot verify just now": func() { a.login["context"] = "Pay 90 EUR to Zoë" },
	} {
		a.start()
		a.confirm()
		change()
		if found := a.deliver(handler); found != expected {
			t.Errorf("%s, expected %s", found, expected)
		}
	}
	a.respond(replies(status(404, `{"code":"session_not_found","status":404,"title":"Unknown"}`)))
	a.calls = nil
	if found := a.deliver(handler); found != "404 unknown approval" {
		t.Error(found)
	}
}

func TestLoginOfThisServerAsksNothingAboutApprovals(t *testing.T) {
	a := newApprover(t, nil)
	a.id = testSession
	a.client.store.Remember(ctx, loginWebhookID(a.id), time.Hour, noAct)
	decided := 0
	handler := a.client.WebhookHandler(WebhookOptions{
		OnLogin:    func(context.Context, *LoginWebhookBody) error { decided++; return nil },
		OnApproval: func(context.Context, *ApprovalResult) error { t.Error("a login is no approval"); return nil },
	})
	if found := a.deliver(handler); found != "200 accepted" || decided != 1 || len(a.calls) != 0 {
		t.Errorf("%s, %d decided, %v", found, decided, a.calls)
	}
}

func TestWebhookHandlerOfApprovalsNeedsAnAppKey(t *testing.T) {
	onApproval := func(context.Context, *ApprovalResult) error { return nil }
	findKey := func(context.Context, string) (*RegisteredKey, error) { return nil, nil }
	for name, test := range map[string]struct {
		appKey  string
		options WebhookOptions
		ok      bool
	}{
		"all of it":    {testAppKey, WebhookOptions{OnApproval: onApproval, FindKey: findKey}, true},
		"without keys": {testAppKey, WebhookOptions{OnApproval: onApproval}, true},
		"no app key":   {"", WebhookOptions{OnApproval: onApproval}, false},
		"keys alone":   {testAppKey, WebhookOptions{FindKey: findKey}, false},
		"keys of logins": {testAppKey, WebhookOptions{
			FindKey: findKey, OnLogin: func(context.Context, *LoginWebhookBody) error { return nil },
		}, false},
	} {
		client := newTestClient(t, newStub(t), &testWorld{}, func(c *Config) { c.AppKey = test.appKey })
		func() {
			defer func() {
				if panicked := recover(); (panicked == nil) != test.ok {
					t.Errorf("%s: %v", name, panicked)
				}
			}()
			client.WebhookHandler(test.options)
		}()
	}
}
