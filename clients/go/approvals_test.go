package countersign

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/clients/go/internal/phonekey"
	"github.com/countersign/countersign/clients/go/internal/protocol"
)

const testContext = "Pay 20 EUR to Zoë"

// approver is a service with one approval, and the phone of the user who decides it.
type approver struct {
	*stub
	t      *testing.T
	client *Client
	key    *phonekey.Key
	log    bytes.Buffer
	// id and login belong to the approval that was started.
	id    string
	login map[string]any
	// open changes the answer to Start before it is sent.
	open func(map[string]any)
}

func newApprover(t *testing.T, change func(*Config)) *approver {
	a := &approver{stub: newStub(t), t: t, key: must(phonekey.New())}
	a.client = newTestClient(t, a.stub, &testWorld{}, change, WithLogger(slog.New(slog.NewTextHandler(&a.log, nil))))
	a.respond(func(w http.ResponseWriter, number int) { a.serve(w, a.calls[number-1]) })
	return a
}

func (a *approver) serve(w http.ResponseWriter, call seen) {
	switch {
	case call.method == "POST":
		writeTestJSON(w, a.started(call.body))
	case call.path == "/association-keys":
		writeTestJSON(w, map[string]any{"keys": []any{map[string]string{
			"keyId": a.key.ID, "publicKey": a.key.PublicKey, "registeredAt": timestamp(testTime),
		}}})
	default:
		writeTestJSON(w, a.login)
	}
}

func writeTestJSON(w http.ResponseWriter, value any) { json.NewEncoder(w).Encode(value) }

// started opens the login, and returns the service's answer.
func (a *approver) started(body string) map[string]any {
	var sent struct{ BrowserPublicKey, Origin, Context, PublicUserID string }
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		a.t.Error(err)
	}
	key, _ := base64.RawURLEncoding.DecodeString(sent.BrowserPublicKey)
	a.id = protocol.SessionID(testAppKey, sent.Origin, sent.Context, key)
	a.login = map[string]any{
		"sessionId": a.id, "state": "created", "origin": sent.Origin, "context": sent.Context,
		"browserPublicKey": sent.BrowserPublicKey, "expectedPublicUserId": sent.PublicUserID, "expiresIn": 40,
		"expiresAt": timestamp(testTime.Add(40 * time.Second)), "serverTime": timestamp(testTime),
	}
	answer := map[string]any{
		"sessionId": a.id, "url": "https://login.shop.example?sessionId=" + a.id, "socketUrl": "wss://api.shop.example/socket",
		"expiresAt": timestamp(testTime.Add(time.Minute)), "expiresIn": 60, "serverTime": timestamp(testTime),
	}
	if a.open != nil {
		a.open(answer)
	}
	return answer
}

func (a *approver) start() *Approval {
	a.t.Helper()
	approval, err := a.client.Approvals.Start(ctx, ApprovalRequest{
		Origin: testOrigin, Context: testContext, UserID: testUser,
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return approval
}

// confirm approves on behalf of the user.
func (a *approver) confirm() {
	a.login["state"], a.login["confirmedAt"], a.login["checkCodeRequired"] = "confirmed", timestamp(testTime), false
	a.login["proof"] = must(a.key.Prove(phonekey.Proof{
		AppKey: testAppKey, Origin: testOrigin, SessionID: a.id, UserID: testUser, Context: testContext,
		Salt: rawSalt, Payload: "", At: testTime,
	}))
}

func (a *approver) result(options ApprovalOptions) (*ApprovalResult, error) {
	return a.client.Approvals.Result(ctx, a.id, options)
}

func (a *approver) approved() ApprovalResult {
	return ApprovalResult{
		ID: a.id, Status: ApprovalApproved, UserID: testUser, KeyID: a.key.ID, Context: testContext, Origin: testOrigin,
	}
}

func TestStartedApprovalIsForThePage(t *testing.T) {
	a := newApprover(t, nil)
	a.open = func(answer map[string]any) { answer["checkCodeRequired"] = true }
	approval, err := a.client.Approvals.Start(ctx, ApprovalRequest{
		Origin: testOrigin, Context: "Pay 20 EUR to Zoe\u0308", UserID: testUser,
	})
	if err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	_ = json.Unmarshal([]byte(a.calls[0].body), &sent)
	if sent["context"] != testContext || sent["publicUserId"] != testUser || sent["origin"] != testOrigin || len(sent) != 4 {
		t.Errorf("%v", sent)
	}
	key, _ := base64.RawURLEncoding.DecodeString(sent["browserPublicKey"].(string))
	token := protocol.ApprovalToken(testAPIKey, key)
	if a.calls[0].header.Get("Authorization") != "Bearer "+protocol.Base64URL(token) {
		t.Error("another token than that of the key")
	}
	text, err := json.Marshal(approval.Session)
	if err != nil {
		t.Fatal(err)
	}
	var session map[string]any
	_ = json.Unmarshal(text, &session)
	expected := map[string]any{
		"sessionId": a.id, "url": "https://login.shop.example?sessionId=" + a.id, "token": protocol.PageToken(token),
		"socketUrl": "wss://api.shop.example/socket", "expiresAt": timestamp(testTime.Add(time.Minute)), "expiresIn": 60.,
		"serverTime": timestamp(testTime), "checkCodeRequired": true,
	}
	for name := range session {
		if name == "expiresAt" || name == "serverTime" {
			moment, err := time.Parse(time.RFC3339, session[name].(string))
			if err != nil || timestamp(moment) != expected[name] {
				t.Errorf("%s: %v", name, session[name])
			}
		} else if session[name] != expected[name] {
			t.Errorf("%s: %v", name, session[name])
		}
	}
	if len(session) != len(expected) || strings.Contains(string(text), protocol.Base64URL(token)) {
		t.Errorf("%s", text)
	}
	if approval.ID != a.id || approval.ExpiresIn != 60 || !approval.ExpiresAt.Equal(testTime.Add(time.Minute)) {
		t.Errorf("%+v", approval)
	}
}

func TestEachApprovalHasItsOwnKey(t *testing.T) {
	a := newApprover(t, nil)
	if first, second := a.start(), a.start(); first.ID == second.ID || first.Session.Token == second.Session.Token {
		t.Error("two approvals are the same")
	}
}

func TestAnswerAboutAnotherLoginIsRefused(t *testing.T) {
	for name, change := range map[string]func(a *approver, answer map[string]any){
		"another id": func(_ *approver, answer map[string]any) { answer["sessionId"] = testSession },
		"no id":      func(_ *approver, answer map[string]any) { delete(answer, "sessionId") },
		"another link": func(_ *approver, answer map[string]any) {
			answer["url"] = "https://login.shop.example?sessionId=" + testSession
		},
		"link of a stranger": func(a *approver, answer map[string]any) {
			answer["url"] = "http://login.shop.example?sessionId=" + a.id
		},
	} {
		a := newApprover(t, nil)
		a.open = func(answer map[string]any) { change(a, answer) }
		acted := false
		_, err := a.client.Approvals.Start(ctx, ApprovalRequest{
			Origin: testOrigin, Context: testContext, UserID: testUser,
			OnStarted: func(context.Context, *Approval) error { acted = true; return nil },
		})
		if errorWord(err) != "connection" || acted {
			t.Errorf("%s: %v, acted %v", name, err, acted)
		}
	}
}

func TestApprovalNeedsItsParts(t *testing.T) {
	a := newApprover(t, nil)
	right := ApprovalRequest{Origin: testOrigin, Context: testContext, UserID: testUser}
	for name, change := range map[string]func(*ApprovalRequest){
		"no origin":      func(r *ApprovalRequest) { r.Origin = "" },
		"no context":     func(r *ApprovalRequest) { r.Context = "" },
		"no user":        func(r *ApprovalRequest) { r.UserID = "" },
		"page as origin": func(r *ApprovalRequest) { r.Origin += "/" },
	} {
		request := right
		change(&request)
		if _, err := a.client.Approvals.Start(ctx, request); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, option := range map[string]RequestOption{
		"another's record":   WithOnStarted(func(context.Context, *ConfirmationSession) error { return nil }),
		"no record":          WithOnStarted(nil),
		"an idempotency key": WithIdempotencyKey("one"),
	} {
		if _, err := a.client.Approvals.Start(ctx, right, option); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	keyless := newTestClient(t, a.stub, &testWorld{}, func(c *Config) { c.AppKey = "" })
	if _, err := keyless.Approvals.Start(ctx, right); err == nil {
		t.Error("no app key: no error")
	}
	if _, err := keyless.Approvals.Result(ctx, testSession, ApprovalOptions{}); err == nil {
		t.Error("no app key: no error")
	}
	if len(a.calls) != 0 {
		t.Errorf("%v", a.calls)
	}
}

func TestRecordOfAnApprovalIsWrittenFirst(t *testing.T) {
	failure := errors.New("no database")
	a := newApprover(t, nil)
	var written []string
	write := func(err error) func(context.Context, *Approval) error {
		return func(_ context.Context, approval *Approval) error {
			written = append(written, approval.ID)
			return err
		}
	}
	request := ApprovalRequest{Origin: testOrigin, Context: testContext, UserID: testUser, OnStarted: write(failure)}
	if _, err := a.client.Approvals.Start(ctx, request); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	// The store records nothing, so no result can be lost because of a missing record.
	a.confirm()
	if _, err := a.result(ApprovalOptions{}); errorWord(err) != "unknown_approval" {
		t.Errorf("%v", err)
	}
	request.OnStarted = write(nil)
	approval, err := a.client.Approvals.Start(ctx, request)
	if err != nil || len(written) != 2 || written[1] != approval.ID {
		t.Errorf("%v, %v", written, err)
	}
}

func TestApprovalIsReportedOnce(t *testing.T) {
	a := newApprover(t, nil)
	a.start()
	if result, err := a.result(ApprovalOptions{}); err != nil || result.Status != ApprovalPending || result.ExpiresIn != 40 {
		t.Errorf("%+v, %v", result, err)
	}
	a.confirm()
	failure := errors.New("no database")
	var acted []ApprovalResult
	act := func(err error) ApprovalOptions {
		return ApprovalOptions{OnResult: func(_ context.Context, result *ApprovalResult) error {
			acted = append(acted, *result)
			return err
		}}
	}
	if _, err := a.result(act(failure)); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	if result, err := a.result(act(nil)); err != nil || *result != a.approved() {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err := a.result(act(nil)); err != nil || *result != (ApprovalResult{ID: a.id, Status: ApprovalAlreadyReported}) {
		t.Errorf("%+v, %v", result, err)
	}
	if !slices.Equal(acted, []ApprovalResult{a.approved(), a.approved()}) {
		t.Errorf("%v", acted)
	}
}

func TestFaultsOfTheServerUseUpNoApproval(t *testing.T) {
	a := newApprover(t, nil)
	a.start()
	a.confirm()
	failure := errors.New("no database")
	failing := func(context.Context, string) (*RegisteredKey, error) { return nil, failure }
	if _, err := a.result(ApprovalOptions{FindKey: failing}); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
	odd := func(context.Context, string) (*RegisteredKey, error) {
		return &RegisteredKey{PublicKey: "MFkw", UserID: testUser}, nil
	}
	if _, err := a.result(ApprovalOptions{FindKey: odd}); !errors.Is(err, errKeyForm) {
		t.Errorf("%v", err)
	}
	if result, err := a.result(ApprovalOptions{}); err != nil || *result != a.approved() {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestAnswersThatLackAMemberUseUpNoApproval(t *testing.T) {
	a := newApprover(t, nil)
	a.start()
	a.confirm()
	delete(a.login, "checkCodeRequired")
	if result, err := a.result(ApprovalOptions{}); errorWord(err) != "connection" {
		t.Errorf("%+v, %v", result, err)
	}
	a.login["checkCodeRequired"] = false
	public := a.key.PublicKey
	a.key.PublicKey = ""
	if result, err := a.result(ApprovalOptions{}); errorWord(err) != "connection" {
		t.Errorf("%+v, %v", result, err)
	}
	a.key.PublicKey = public
	if result, err := a.result(ApprovalOptions{}); err != nil || *result != a.approved() {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestUnverifiedApprovalIsExplainedInTheLog(t *testing.T) {
	a := newApprover(t, nil)
	a.start()
	a.confirm()
	a.key = must(phonekey.New())
	result, err := a.result(ApprovalOptions{})
	if err != nil || *result != (ApprovalResult{ID: a.id, Status: ApprovalDenied, Reason: ReasonUnverified}) {
		t.Errorf("%+v, %v", result, err)
	}
	if log := a.log.String(); !strings.Contains(log, "the key is unknown") || strings.Contains(log, testUser) ||
		strings.Contains(log, testContext) {
		t.Errorf("%s", log)
	}
}
