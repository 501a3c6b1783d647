package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/countersigntest"
)

const payment = "Pay 20 EUR to Zoë"

// testShop is a shop as its own tests would run it: with a test key, and a phone without a user.
type testShop struct {
	*httptest.Server
	t      *testing.T
	client *countersign.Client
	origin string

	mutex    sync.Mutex
	keys     map[string]*countersign.RegisteredKey // of users' phones, by key id
	payments map[string]countersign.ApprovalStatus // by approval
	last     string                                // the approval of this browser
}

// testClient returns a client with a new test key of the app.
func (s *server) testClient(change func(*countersign.Config)) *countersign.Client {
	s.t.Helper()
	var key struct{ APIKey string }
	if err := json.Unmarshal([]byte(s.run("key", "issue", "demo", "--test", "--json")), &key); err != nil {
		s.t.Fatal(err)
	}
	return s.client(func(c *countersign.Config) {
		c.APIKey = key.APIKey
		if change != nil {
			change(c)
		}
	})
}

func newTestShop(t *testing.T, s *server, client *countersign.Client) *testShop {
	shop := &testShop{
		t: t, client: client, origin: s.Demo.URL, payments: make(map[string]countersign.ApprovalStatus),
		keys: make(map[string]*countersign.RegisteredKey),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /pay", shop.pay)
	mux.HandleFunc("POST /paid", shop.paid)
	mux.Handle("POST /webhook", client.WebhookHandler(countersign.WebhookOptions{
		OnApproval: shop.onResult, FindKey: shop.findKey,
	}))
	shop.Server = httptest.NewServer(mux)
	t.Cleanup(shop.Close)
	return shop
}

func (s *testShop) pay(w http.ResponseWriter, r *http.Request) {
	approval, err := s.client.Approvals.Start(r.Context(), countersign.ApprovalRequest{
		Origin: s.origin, Context: payment, UserID: user,
		OnStarted: func(_ context.Context, approval *countersign.Approval) error {
			s.mutex.Lock()
			defer s.mutex.Unlock()
			s.payments[approval.ID], s.last = countersign.ApprovalPending, approval.ID
			return nil
		},
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	json.NewEncoder(w).Encode(approval.Session)
}

func (s *testShop) paid(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	id := s.last
	s.mutex.Unlock()
	_, err := s.client.Approvals.Result(r.Context(), id, countersign.ApprovalOptions{
		FindKey: s.findKey, OnResult: s.onResult,
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	fmt.Fprint(w, s.payments[id])
}

func (s *testShop) onResult(_ context.Context, result *countersign.ApprovalResult) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.payments[result.ID] != countersign.ApprovalPending {
		s.t.Errorf("%s is reported twice", result.ID)
	}
	s.payments[result.ID] = result.Status
	return nil
}

func (s *testShop) findKey(_ context.Context, keyID string) (*countersign.RegisteredKey, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.keys[keyID], nil
}

// phone returns the phone of a user, whose key the shop has stored.
func (s *testShop) phone(userID string) *countersigntest.Phone {
	s.t.Helper()
	phone := newPhone(s.t, s.client, userID)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.keys[phone.KeyID()] = &countersign.RegisteredKey{PublicKey: phone.PublicKey(), UserID: userID}
	return phone
}

// post sends a request as the page does, and returns the answer's body.
func (s *testShop) post(path string) string {
	s.t.Helper()
	answer, err := http.Post(s.URL+path, "application/json", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %d %s", path, answer.StatusCode, text)
	}
	return string(text)
}

// startPayment starts a payment as the page does, and returns the element's session.
func (s *testShop) startPayment() countersign.ApprovalSession {
	s.t.Helper()
	var session countersign.ApprovalSession
	if err := json.Unmarshal([]byte(s.post("/pay")), &session); err != nil {
		s.t.Fatal(err)
	}
	return session
}

func newPhone(t *testing.T, client *countersign.Client, userID string) *countersigntest.Phone {
	t.Helper()
	phone, err := countersigntest.NewPhone(client, userID)
	if err != nil {
		t.Fatal(err)
	}
	return phone
}

func open(t *testing.T, phone *countersigntest.Phone, link string) *countersigntest.Opened {
	t.Helper()
	opened, err := phone.Open(ctx, link)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func statusOf(err error) int {
	var problem *countersign.ProblemError
	if errors.As(err, &problem) {
		return problem.Status
	}
	return 0
}
