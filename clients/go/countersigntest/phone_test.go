package countersigntest_test

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/countersigntest"
	"github.com/countersign/countersign/clients/go/internal/protocol"
)

const (
	appKey = "cs_app_0123456789abcdefABCDEF"
	user   = "zoe@example.com"
)

var ctx = context.Background()

// seen is a request that the stub received.
type seen struct {
	path, apiKey, token string
	body                map[string]any
}

// stub is a service that answers initiate with a given text, and everything else with true.
type stub struct {
	*httptest.Server
	mutex      sync.Mutex
	initiation string
	calls      []seen
}

func newStub(t *testing.T, initiation string) *stub {
	s := &stub{initiation: initiation}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	text, _ := io.ReadAll(r.Body)
	call := seen{path: r.URL.Path, apiKey: r.Header.Get("X-Api-Key"), token: r.Header.Get("Authorization")}
	_ = json.Unmarshal(text, &call.body)
	s.calls = append(s.calls, call)
	switch {
	case strings.HasSuffix(r.URL.Path, "/initiate"):
		io.WriteString(w, s.initiation)
	case strings.HasSuffix(r.URL.Path, "/expire"):
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Path == "/association-keys":
		io.WriteString(w, `{"keyId":"k"}`)
	default:
		io.WriteString(w, "true")
	}
}

func (s *stub) client(t *testing.T, apiKey, appKey string) *countersign.Client {
	t.Helper()
	client, err := countersign.New(countersign.Config{URL: s.URL, APIKey: apiKey, AppKey: appKey})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func (s *stub) phone(t *testing.T, userID string) *countersigntest.Phone {
	t.Helper()
	phone, err := countersigntest.NewPhone(s.client(t, "cs_test_secret", appKey), userID)
	if err != nil {
		t.Fatal(err)
	}
	return phone
}

func TestVectorsOfPhones(t *testing.T) {
	text, err := os.ReadFile("../../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Phones []struct {
			Name, Link string
			Answer     json.RawMessage
			AllowPlain bool
			Reason     countersigntest.Reason
			Reports    bool
		}
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all.Phones) == 0 {
		t.Fatal(len(all.Phones), err)
	}
	for _, v := range all.Phones {
		s := newStub(t, string(v.Answer))
		var options []countersigntest.OpenOption
		if v.AllowPlain {
			options = append(options, countersigntest.AllowUnencrypted())
		}
		opened, err := s.phone(t, user).Open(ctx, v.Link, options...)
		if v.Reason == "" {
			if err != nil || opened.Origin != "https://shop.example" {
				t.Errorf("%s: %+v, %v", v.Name, opened, err)
			}
			continue
		}
		var refused *countersigntest.RefusedError
		if !errors.As(err, &refused) || refused.Reason != v.Reason {
			t.Errorf("%s: %v, expected %s", v.Name, err, v.Reason)
		}
		last := seen{}
		if len(s.calls) > 0 {
			last = s.calls[len(s.calls)-1]
		}
		reported := strings.HasSuffix(last.path, "/deny") && last.body["reason"] == "key_mismatch"
		if reported != v.Reports || v.Answer == nil && len(s.calls) != 0 {
			t.Errorf("%s: %+v", v.Name, s.calls)
		}
	}
}

// login is the service's answer to a phone about the login of a browser with this key.
func login(t *testing.T, change map[string]any) (link, answer string) {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point := key.PublicKey().Bytes()
	members := map[string]any{
		"session": map[string]any{"mobileTemplateResponse": map[string]any{"title": "Log in?"}},
		"app":     map[string]string{"name": "Shop"}, "origin": "https://shop.example",
		"browserPublicKey": base64.RawURLEncoding.EncodeToString(point), "context": "Pay 20 EUR to Zoë", "checkCode": "07",
		"serverTime": "2026-01-02T03:04:05.678Z", "expiresAt": "2026-01-02T03:07:05.678Z",
	}
	for name, value := range change {
		members[name] = value
	}
	text, _ := json.Marshal(members)
	id := protocol.SessionID(appKey, "https://shop.example", "Pay 20 EUR to Zoë", point)
	return "https://login.shop.example?sessionId=" + id, string(text)
}

func TestPhoneShowsWhatTheIDVouchesFor(t *testing.T) {
	link, answer := login(t, nil)
	s := newStub(t, answer)
	opened, err := s.phone(t, user).Open(ctx, link)
	if err != nil {
		t.Fatal(err)
	}
	if opened.Origin != "https://shop.example" || opened.Context != "Pay 20 EUR to Zoë" || opened.CheckCode != "07" ||
		!bytes.Contains(opened.Session, []byte("Log in?")) || !strings.HasSuffix(link, opened.SessionID) {
		t.Errorf("%+v", opened)
	}
	call := s.calls[0]
	if call.apiKey != "cs_test_secret" || len(call.token) != len("Bearer ")+43 || call.body["publicUserId"] != user {
		t.Errorf("%+v", call)
	}
}

func TestPhoneNamesAnotherUserOrNone(t *testing.T) {
	link, answer := login(t, nil)
	s := newStub(t, answer)
	for _, name := range []string{"", "yan@example.com"} {
		if _, err := s.phone(t, user).Open(ctx, link, countersigntest.As(name)); err != nil {
			t.Fatal(err)
		}
		named, isNamed := s.calls[len(s.calls)-1].body["publicUserId"]
		if isNamed != (name != "") || isNamed && named != name {
			t.Errorf("%q: %v", name, named)
		}
	}
}

func TestConfirmationIsProvenAndSealed(t *testing.T) {
	link, answer := login(t, nil)
	s := newStub(t, answer)
	phone, stranger := s.phone(t, user), s.phone(t, "yan@example.com")
	opened, err := phone.Open(ctx, link)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		options []countersigntest.ConfirmOption
		keyID   string
	}{
		"its own key": {nil, phone.KeyID()},
		"another key": {[]countersigntest.ConfirmOption{countersigntest.SignWith(stranger)}, stranger.KeyID()},
		"no key":      {[]countersigntest.ConfirmOption{countersigntest.WithoutProof()}, ""},
	} {
		detail, err := opened.Confirm(ctx, "a token", test.options...)
		if err != nil {
			t.Fatal(err)
		}
		call := s.calls[len(s.calls)-1]
		sealed, _ := call.body["payload"].(string)
		proof, _ := call.body["proof"].(string)
		if call.body["encrypted"] != true || len(sealed) < 100 || call.apiKey != "" || call.token == "" ||
			proof != detail.Proof || detail.Payload != "a token" || detail.SessionID != opened.SessionID {
			t.Errorf("%s: %+v", name, call)
		}
		if header, _, _ := strings.Cut(proof, "."); test.keyID != "" {
			text, _ := base64.RawURLEncoding.DecodeString(header)
			if !bytes.Contains(text, []byte(test.keyID)) {
				t.Errorf("%s: %s", name, text)
			}
		} else if proof != "" {
			t.Errorf("%s: %s", name, proof)
		}
	}
}

// The service's clock is in January; this machine's is not.
func TestProofIsOfTheServicesTime(t *testing.T) {
	link, answer := login(t, nil)
	s := newStub(t, answer)
	phone := s.phone(t, user)
	opened, err := phone.Open(ctx, link)
	if err != nil {
		t.Fatal(err)
	}
	detail, err := opened.Confirm(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	claims, _ := base64.RawURLEncoding.DecodeString(strings.Split(detail.Proof, ".")[1])
	var times struct{ Iat, Exp int64 }
	_ = json.Unmarshal(claims, &times)
	opening := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Unix()
	if late := times.Iat - opening; late < 0 || late > 60 || times.Exp != times.Iat+300 {
		t.Errorf("%+v", times)
	}
}

func TestLateConfirmationComesAfterTheEnd(t *testing.T) {
	link, answer := login(t, nil)
	s := newStub(t, answer)
	opened, err := s.phone(t, user).Open(ctx, link)
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.ConfirmLate(ctx, ""); err != nil { // This service takes everything.
		t.Fatal(err)
	}
	expired, confirmed := s.calls[1], s.calls[2]
	if !strings.HasSuffix(expired.path, "/expire") || expired.apiKey != "cs_test_secret" || expired.token != "" ||
		!strings.HasSuffix(confirmed.path, "/confirm") {
		t.Errorf("%+v", s.calls)
	}
}

func TestDenialHasNoReason(t *testing.T) {
	link, answer := login(t, nil)
	s := newStub(t, answer)
	opened, err := s.phone(t, user).Open(ctx, link)
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Deny(ctx); err != nil {
		t.Fatal(err)
	}
	if denied := s.calls[1]; !strings.HasSuffix(denied.path, "/deny") || denied.body["reason"] != nil {
		t.Errorf("%+v", denied)
	}
}

func TestPhoneNeedsATestKey(t *testing.T) {
	s := newStub(t, "")
	for _, test := range []struct {
		apiKey, appKey, userID string
		ok                     bool
	}{
		{"cs_test_secret", appKey, user, true},
		{"cs_live_secret", appKey, user, false},
		{"CS_TEST_secret", appKey, user, false},
		{"cs_live_cs_test_", appKey, user, false},
		{"cs_test_secret", "", user, false},
		{"cs_test_secret", appKey, "", false},
	} {
		_, err := countersigntest.NewPhone(s.client(t, test.apiKey, test.appKey), test.userID)
		if (err == nil) != test.ok || err != nil && strings.Contains(err.Error(), test.apiKey) {
			t.Errorf("%+v: %v", test, err)
		}
	}
	if _, err := countersigntest.NewPhone(nil, user); err == nil {
		t.Error("no client")
	}
}

func TestRegistrationIsSignedByThePhone(t *testing.T) {
	s := newStub(t, "")
	phone := s.phone(t, user)
	if err := phone.Register(ctx); err != nil {
		t.Fatal(err)
	}
	body := s.calls[0].body
	if body["publicUserId"] != user || body["publicKey"] != phone.PublicKey() || body["signature"] == "" {
		t.Errorf("%+v", body)
	}
	found, err := phone.FindKey(ctx, phone.KeyID())
	if err != nil || found.UserID != user || found.PublicKey != phone.PublicKey() {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := phone.FindKey(ctx, "another"); found != nil || err != nil {
		t.Errorf("%+v, %v", found, err)
	}
}
