package integration

import (
	"bytes"
	"context"
	"crypto/ecdh"
	"crypto/hpke"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
)

const user = "zoe@example.com"

// browser plays the browser's part in a login: it has a key and a token.
type browser struct {
	s     *server
	key   *ecdh.PrivateKey
	token string
}

func (s *server) browser() *browser {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	token := make([]byte, 32)
	rand.Read(token)
	return &browser{s, key, base64.RawURLEncoding.EncodeToString(token)}
}

func (b *browser) open(client *countersign.Client, approve string) *countersign.NewSession {
	b.s.t.Helper()
	request := countersign.CreateSessionRequest{
		BrowserPublicKey: base64.RawURLEncoding.EncodeToString(b.key.PublicKey().Bytes()),
		Origin:           b.s.Demo.URL,
		Context:          approve,
	}
	opened, err := client.Logins.Create(ctx, b.token, request)
	if err != nil {
		b.s.t.Fatal(err)
	}
	again, err := client.Logins.Create(ctx, b.token, request)
	if err != nil || again.SessionID != opened.SessionID {
		b.s.t.Errorf("repeated: %+v, %v", again, err)
	}
	return opened
}

// redeem fetches the payload and decrypts it.
func (b *browser) redeem(id string) countersign.LoginDetail {
	b.s.t.Helper()
	request, _ := http.NewRequest("POST", b.s.Demo.URL+"/qr-sessions/"+id+"/redeem",
		bytes.NewReader([]byte(`{"receipt":"AAAAAAAAAAAAAAAAAAAAAA"}`)))
	request.Header.Set("Authorization", "Bearer "+b.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	var redeemed struct{ Payload, Proof string }
	if err := json.Unmarshal(text, &redeemed); err != nil || answer.StatusCode != 200 {
		b.s.t.Fatalf("%d %s", answer.StatusCode, text)
	}
	sealed, err := base64.RawURLEncoding.DecodeString(redeemed.Payload)
	if err != nil {
		b.s.t.Fatal(err)
	}
	var info []byte
	for _, part := range []string{"countersign/qr/2", id, b.s.Demo.URL} {
		info = append(binary.BigEndian.AppendUint16(info, uint16(len(part))), part...)
	}
	key, err := hpke.NewDHKEMPrivateKey(b.key)
	if err != nil {
		b.s.t.Fatal(err)
	}
	plain, err := hpke.Open(key, hpke.HKDFSHA256(), hpke.AES256GCM(), info, sealed)
	if err != nil {
		b.s.t.Fatal(err)
	}
	detail := countersign.LoginDetail{SessionID: id, Proof: redeemed.Proof}
	if err := json.Unmarshal(plain, &detail); err != nil {
		b.s.t.Fatal(err)
	}
	return detail
}

// registerPhone creates a key for the phone and registers it with the service.
func registerPhone(s *server, client *countersign.Client) countersign.FindKey {
	var key struct{ KeyID, PublicKey, Signature string }
	text := s.run("phone", "keys", "create", "--public-user-id", user, "--app-key", s.Demo.AppKey, "--json")
	if err := json.Unmarshal([]byte(text), &key); err != nil {
		s.t.Fatal(err)
	}
	registered, err := client.AssociationKeys.Register(ctx, countersign.RegisterAssociationKeyRequest{
		PublicUserID: user, PublicKey: key.PublicKey, Signature: key.Signature,
	})
	if err != nil || registered.KeyID == "" {
		s.t.Fatalf("%+v, %v", registered, err)
	}
	return func(_ context.Context, id string) (*countersign.RegisteredKey, error) {
		if id != registered.KeyID {
			return nil, nil
		}
		return &countersign.RegisteredKey{PublicKey: key.PublicKey, UserID: user}, nil
	}
}

func TestPhoneLogsABrowserInOnce(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	findKey := registerPhone(s, client)
	decided := make(chan *countersign.LoginWebhookBody, 10)
	hook := startReceiver(t, client.WebhookHandler(countersign.WebhookOptions{
		OnLogin: func(_ context.Context, event *countersign.LoginWebhookBody) error {
			decided <- event
			return nil
		},
	}))
	s.run("app", "update", "demo", "--login-callback", hook.URL)

	browser := s.browser()
	opened := browser.open(client, "")
	s.run("phone", "open", opened.URL, "--confirm", "--payload", "a token", "--public-user-id", user)
	event := receive(t, decided)
	hook.expect("200 accepted")
	if event.SessionID != opened.SessionID || event.Event != countersign.LoginEventLoginConfirmed ||
		event.VerifiedPublicUserID != user {
		t.Errorf("%+v", event)
	}
	login, err := client.Logins.Get(ctx, opened.SessionID)
	if err != nil || login.State != countersign.SessionStateConfirmed || login.VerifiedPublicUserID != user {
		t.Errorf("%+v, %v", login, err)
	}

	in := make(chan countersign.Login, 10)
	door := httptest.NewServer(client.LoginHandler(countersign.LoginOptions{
		Origin: s.Demo.URL, FindKey: findKey,
		OnLogin: func(_ http.ResponseWriter, _ *http.Request, login countersign.Login) error {
			in <- login
			return nil
		},
	}))
	defer door.Close()
	detail := browser.redeem(opened.SessionID)
	forged := detail
	forged.Payload = "another token"
	for _, step := range []struct {
		detail countersign.LoginDetail
		status int
	}{{forged, 403}, {detail, 200}, {detail, 403}} {
		if found := knock(t, door.URL, s.Demo.URL, step.detail); found != step.status {
			t.Errorf("%d, expected %d", found, step.status)
		}
	}
	if login := receive(t, in); login.UserID != user || len(in) != 0 {
		t.Errorf("%+v, and %d more", login, len(in))
	}
}

func knock(t *testing.T, door, origin string, detail countersign.LoginDetail) int {
	t.Helper()
	text, _ := json.Marshal(detail)
	request, _ := http.NewRequest("POST", door, bytes.NewReader(text))
	request.Header.Set("Origin", origin)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

func TestApprovalNamesItsContext(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	findKey := registerPhone(s, client)
	browser := s.browser()
	opened := browser.open(client, "Pay 20 EUR to Zoë")
	s.run("phone", "open", opened.URL, "--confirm", "--payload", "approved", "--public-user-id", user)
	detail := browser.redeem(opened.SessionID)
	for approved, fits := range map[string]bool{"Pay 20 EUR to Zoë": true, "Pay 90 EUR to Zoë": false, "": false} {
		login, err := client.Logins.Verify(ctx, detail, countersign.LoginExpectation{
			Origin: s.Demo.URL, FindKey: findKey, Context: approved,
		})
		var refused *countersign.LoginVerificationError
		if fits && (err != nil || login.UserID != user) || !fits && !errors.As(err, &refused) {
			t.Errorf("%q: %+v, %v", approved, login, err)
		}
	}
}

func TestDeniedAndCancelledLogins(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	denied, cancelled := s.browser().open(client, ""), s.browser().open(client, "")
	s.run("phone", "open", denied.URL, "--deny")
	if err := client.Logins.Cancel(ctx, cancelled.SessionID); err != nil {
		t.Fatal(err)
	}
	for id, expected := range map[string]countersign.SessionState{
		denied.SessionID: countersign.SessionStateDenied, cancelled.SessionID: countersign.SessionStateCancelled,
	} {
		if login, err := client.Logins.Get(ctx, id); err != nil || login.State != expected {
			t.Errorf("%+v, %v", login, err)
		}
	}
}

func TestKeysAreListedAndRevoked(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	registerPhone(s, client)
	keys, err := client.AssociationKeys.List(ctx, user)
	if err != nil || len(keys) != 1 || keys[0].RegisteredAt.IsZero() {
		t.Fatalf("%+v, %v", keys, err)
	}
	if err := client.AssociationKeys.Revoke(ctx, keys[0].KeyID); err != nil {
		t.Fatal(err)
	}
	if keys, err := client.AssociationKeys.List(ctx, user); err != nil || len(keys) != 0 {
		t.Errorf("%+v, %v", keys, err)
	}
}
