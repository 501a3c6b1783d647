package countersign

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// approvalVectors are the parts of clients/vectors.json about logins and approvals.
type approvalVectors struct {
	At     int64
	Logins struct {
		SessionIDs []struct {
			Name, AppKey, Origin, Context, BrowserPublicKey, SessionID string
		}
		PageTokens []struct{ BrowserToken, PageToken string }
		Links      []struct {
			Link string
			OK   bool
		}
	}
	Approvals struct {
		Tokens  []struct{ APIKey, BrowserPublicKey, BrowserToken, PageToken string }
		Records []struct{ SessionID, UserID, ID string }
		Results []struct {
			Name, Session, Remembered string
			Keys                      *[]vectorKey
			Answers                   []json.RawMessage
			Requests                  int
			Result, Again             *vectorResult
			Error                     string
		}
		WebhookSecret string
		Webhooks      []struct {
			Name, Remembered string
			Keys             *[]vectorKey
			Headers          [][2]string
			Body             string
			Answers          []json.RawMessage
			Decision         *vectorResult
			Status           int
			Text             string
			Again            struct {
				Status int
				Text   string
			}
		}
	}
	ProofsWithoutPayload, Passkeys proofVectors
}

// proofVectors are proofs with the users that they prove, if any.
type proofVectors struct {
	Origin string
	Keys   []vectorKey
	Cases  []struct {
		Name           string
		Detail         LoginDetail
		Context        string
		OpenedByServer bool
		UserID         string
		Absent         []string
	}
}

type vectorKey struct {
	KeyID, PublicKey, UserID string
	Kind                     AssociationKeyKind
	RPID, Origin             string
}

// vectorResult has the members of an ApprovalResult under the names used in other languages.
type vectorResult struct {
	ID                             string
	Status                         ApprovalStatus
	Reason                         ApprovalReason
	ExpiresIn                      int64
	UserID, KeyID, Context, Origin string
}

func loadApprovalVectors(t *testing.T) approvalVectors {
	t.Helper()
	text, err := os.ReadFile("../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v approvalVectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func decoded(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func vectorFindKey(keys []vectorKey) FindKey {
	return func(_ context.Context, keyID string) (*RegisteredKey, error) {
		for _, key := range keys {
			if key.KeyID == keyID {
				return &RegisteredKey{
					PublicKey: key.PublicKey, UserID: key.UserID, Kind: key.Kind, RPID: key.RPID, Origin: key.Origin,
				}, nil
			}
		}
		return nil, nil
	}
}

func TestVectorsOfDerivedValues(t *testing.T) {
	all := loadApprovalVectors(t)
	expect := func(what, found, expected string) {
		t.Helper()
		if found != expected {
			t.Errorf("%s: %s, expected %s", what, found, expected)
		}
	}
	for _, v := range all.Logins.SessionIDs {
		key := decoded(t, v.BrowserPublicKey)
		expect(v.Name, protocol.SessionID(v.AppKey, v.Origin, v.Context, key), v.SessionID)
	}
	for _, v := range all.Logins.PageTokens {
		expect("page token", protocol.PageToken(decoded(t, v.BrowserToken)), v.PageToken)
	}
	for _, v := range all.Approvals.Tokens {
		token := protocol.ApprovalToken(v.APIKey, decoded(t, v.BrowserPublicKey))
		expect("browser token", protocol.Base64URL(token), v.BrowserToken)
		expect("page token", protocol.PageToken(token), v.PageToken)
	}
	for _, v := range all.Approvals.Records {
		expect("record of "+v.UserID, protocol.ApprovalRecord(v.SessionID, v.UserID), v.ID)
	}
	if len(all.Logins.SessionIDs)*len(all.Logins.PageTokens)*len(all.Approvals.Tokens)*len(all.Approvals.Records) == 0 {
		t.Error("vectors are missing")
	}
}

func TestVectorsOfLinks(t *testing.T) {
	id := "qrs_cdbc7818772a635a958b512d854cb055"
	links := loadApprovalVectors(t).Logins.Links
	for _, v := range links {
		if found := protocol.IsLinkOf(strings.ReplaceAll(v.Link, "{id}", id), id); found != v.OK {
			t.Errorf("%q: %v", v.Link, found)
		}
	}
	if len(links) == 0 {
		t.Error("vectors are missing")
	}
}

func TestVectorsOfApprovals(t *testing.T) {
	all := loadApprovalVectors(t).Approvals.Results
	for _, v := range all {
		s := newStub(t)
		client := newTestClient(t, s, &testWorld{}, nil)
		s.respond(func(w http.ResponseWriter, number int) {
			vectorAnswer(w, v.Answers[(number-1)%len(v.Answers)])
		})
		if v.Remembered != "" {
			record := protocol.ApprovalRecord(v.Session, v.Remembered)
			if _, err := client.store.Remember(ctx, record, time.Hour, noAct); err != nil {
				t.Fatal(err)
			}
		}
		var acted []ApprovalResult
		expected := ApprovalOptions{OnResult: func(_ context.Context, result *ApprovalResult) error {
			acted = append(acted, *result)
			return nil
		}}
		if v.Keys != nil {
			expected.FindKey = vectorFindKey(*v.Keys)
		}
		result, err := client.Approvals.Result(ctx, v.Session, expected, WithMaxRetries(0))
		if len(s.calls) != v.Requests {
			t.Errorf("%s: %d requests", v.Name, len(s.calls))
		}
		if v.Result == nil {
			if found := errorWord(err); found != v.Error || len(acted) != 0 {
				t.Errorf("%s: %v, expected %s; acted on %v", v.Name, err, v.Error, acted)
			}
			continue
		}
		if err != nil || *result != ApprovalResult(*v.Result) {
			t.Errorf("%s: %+v, %v", v.Name, result, err)
			continue
		}
		again, err := client.Approvals.Result(ctx, v.Session, expected)
		if err != nil || *again != ApprovalResult(*v.Again) {
			t.Errorf("%s: then %+v, %v", v.Name, again, err)
		}
		isOnce := again.Status == ApprovalAlreadyReported
		if isOnce != slices.Equal(acted, []ApprovalResult{*result}) || !isOnce && len(acted) != 0 {
			t.Errorf("%s: acted on %v", v.Name, acted)
		}
	}
	if len(all) == 0 {
		t.Error("vectors are missing")
	}
}

func TestVectorsOfWebhooksOfApprovals(t *testing.T) {
	all := loadApprovalVectors(t)
	for _, v := range all.Approvals.Webhooks {
		s := newStub(t)
		s.now = func() time.Time { return time.Unix(all.At, 0) }
		client := newTestClient(t, s, &testWorld{}, func(c *Config) {
			c.WebhookSecrets = []string{all.Approvals.WebhookSecret}
		}, WithMaxRetries(0))
		s.respond(func(w http.ResponseWriter, number int) {
			vectorAnswer(w, v.Answers[(number-1)%len(v.Answers)])
		})
		var event struct{ SessionID string }
		if err := json.Unmarshal([]byte(v.Body), &event); err != nil {
			t.Fatal(err)
		}
		if v.Remembered != "" {
			record := protocol.ApprovalRecord(event.SessionID, v.Remembered)
			if _, err := client.store.Remember(ctx, record, time.Hour, noAct); err != nil {
				t.Fatal(err)
			}
		}
		var acted []ApprovalResult
		options := WebhookOptions{OnApproval: func(_ context.Context, result *ApprovalResult) error {
			acted = append(acted, *result)
			return nil
		}}
		if v.Keys != nil {
			options.FindKey = vectorFindKey(*v.Keys)
		}
		h := hook{Handler: client.WebhookHandler(options)}
		expectAnswer(t, v.Name, h.post(v.Body, headerOfPairs(v.Headers)), v.Status, v.Text)
		expectAnswer(t, v.Name+", again", h.post(v.Body, headerOfPairs(v.Headers)), v.Again.Status, v.Again.Text)
		var expected []ApprovalResult
		if v.Decision != nil {
			expected = []ApprovalResult{ApprovalResult(*v.Decision)}
		}
		if !slices.Equal(acted, expected) {
			t.Errorf("%s: acted on %+v", v.Name, acted)
		}
	}
	if len(all.Approvals.Webhooks) == 0 {
		t.Error("vectors are missing")
	}
}

func errorWord(err error) string {
	var unknown *UnknownApprovalError
	var connection *ConnectionError
	var problem *ProblemError
	switch {
	case errors.As(err, &unknown):
		return "unknown_approval"
	case errors.As(err, &connection):
		return "connection"
	case errors.As(err, &problem):
		return "problem"
	default:
		return ""
	}
}

func TestVectorsOfProofsWithoutPayload(t *testing.T) {
	all := loadApprovalVectors(t)
	judgeProofs(t, all.At, all.ProofsWithoutPayload)
}

func TestVectorsOfPasskeys(t *testing.T) {
	all := loadApprovalVectors(t)
	judgeProofs(t, all.At, all.Passkeys)
}

func TestPasskeysAreKnownWithTheirPage(t *testing.T) {
	all := loadApprovalVectors(t)
	for _, key := range []RegisteredKey{
		{Kind: AssociationKeyKindPasskey, Origin: "https://login.shop.example"},
		{Kind: AssociationKeyKindPasskey, RPID: "login.shop.example"},
		{Kind: "chip"},
	} {
		s := newStub(t)
		s.now = func() time.Time { return time.Unix(all.At, 0) }
		client := newTestClient(t, s, &testWorld{}, nil)
		key.PublicKey, key.UserID = all.Passkeys.Keys[0].PublicKey, "zoe@example.com"
		find := func(context.Context, string) (*RegisteredKey, error) { return &key, nil }
		_, err := client.Logins.Verify(ctx, all.Passkeys.Cases[0].Detail, LoginExpectation{
			Origin: all.Passkeys.Origin, FindKey: find,
		})
		if err == nil || isRefused(err) {
			t.Errorf("%+v: %v", key, err)
		}
	}
}

func judgeProofs(t *testing.T, at int64, all proofVectors) {
	t.Helper()
	for _, v := range all.Cases {
		if slices.Contains(v.Absent, "go") {
			continue
		}
		s := newStub(t)
		s.now = func() time.Time { return time.Unix(at, 0) }
		client := newTestClient(t, s, &testWorld{}, nil)
		login, err := client.Logins.Verify(ctx, v.Detail, LoginExpectation{
			Origin: all.Origin, FindKey: vectorFindKey(all.Keys), Context: v.Context,
			OpenedByServer: v.OpenedByServer,
		})
		if v.UserID == "" && !isRefused(err) || v.UserID != "" && (err != nil || login.UserID != v.UserID) {
			t.Errorf("%s: %+v, %v", v.Name, login, err)
		}
	}
	if len(all.Cases) == 0 {
		t.Error("vectors are missing")
	}
}
