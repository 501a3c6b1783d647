package integration

import (
	"net/http"
	"net/http/httptest"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/countersigntest"
)

func TestShopLogsIn(t *testing.T) {
	s := startServer(t)
	client := s.testClient(nil)
	phone, stranger := newPhone(t, client, user), newPhone(t, client, user)
	in := make(chan string, 10)
	door := httptest.NewServer(client.LoginHandler(countersign.LoginOptions{
		Origin: s.Demo.URL, FindKey: phone.FindKey,
		OnLogin: func(_ http.ResponseWriter, _ *http.Request, login countersign.Login) error {
			in <- login.UserID
			return nil
		},
	}))
	defer door.Close()
	openLogin := func() *countersigntest.Opened {
		login, err := countersigntest.StartLogin(ctx, client, s.Demo.URL)
		if err != nil {
			t.Fatal(err)
		}
		return open(t, phone, login.URL)
	}

	confirmed, err := openLogin().Confirm(ctx, "a token")
	if err != nil {
		t.Fatal(err)
	}
	for _, expected := range []int{200, 403} {
		if found := knock(t, door.URL, s.Demo.URL, *confirmed); found != expected {
			t.Errorf("%d, expected %d", found, expected)
		}
	}
	if found := receive(t, in); found != user || len(in) != 0 {
		t.Errorf("%s, and %d more", found, len(in))
	}

	forged, err := openLogin().Confirm(ctx, "a token", countersigntest.SignWith(stranger))
	if err != nil {
		t.Fatal(err)
	}
	if found := knock(t, door.URL, s.Demo.URL, *forged); found != 403 {
		t.Errorf("a wrong key: %d", found)
	}
	if err := openLogin().ConfirmLate(ctx, "a token"); statusOf(err) != http.StatusGone {
		t.Errorf("a late answer: %v", err)
	}
	denied := openLogin()
	if err := denied.Deny(ctx); err != nil {
		t.Fatal(err)
	}
	if login, err := client.Logins.Get(ctx, denied.SessionID); err != nil || login.State != countersign.SessionStateDenied {
		t.Errorf("%+v, %v", login, err)
	}
	if len(in) != 0 {
		t.Errorf("%d logged in", len(in))
	}
}

// A test key cannot reach a real user's login, and a real phone cannot open a test's login.
func TestTestsAndRealLoginsAreApart(t *testing.T) {
	s := startServer(t)
	live, test := s.client(nil), s.testClient(nil)
	phone := newPhone(t, test, user)
	real, err := live.Approvals.Start(ctx, countersign.ApprovalRequest{Origin: s.Demo.URL, Context: payment, UserID: user})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := phone.Open(ctx, real.Session.URL); statusOf(err) != http.StatusNotFound {
		t.Errorf("%v", err)
	}
	result, err := test.Approvals.Result(ctx, real.ID, countersign.ApprovalOptions{})
	if err != nil || result.Status != countersign.ApprovalExpired {
		t.Errorf("%+v, %v", result, err)
	}
	if _, err := countersigntest.NewPhone(live, user); err == nil {
		t.Error("a phone for tests with a live key")
	}
}

func TestKeyOfTheServiceIsThatOfTests(t *testing.T) {
	s := startServer(t)
	live, client := s.client(nil), s.testClient(nil)
	phone, mallory := newPhone(t, client, user), newPhone(t, client, "mallory@example.com")
	for _, phone := range []*countersigntest.Phone{phone, mallory} {
		if err := phone.Register(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if keys, err := live.AssociationKeys.List(ctx, user); err != nil || len(keys) != 0 {
		t.Errorf("%+v, %v", keys, err)
	}
	start := func() *countersign.Approval {
		approval, err := client.Approvals.Start(ctx, countersign.ApprovalRequest{
			Origin: s.Demo.URL, Context: payment, UserID: user,
		})
		if err != nil {
			t.Fatal(err)
		}
		return approval
	}
	approval := start()
	if _, err := open(t, phone, approval.Session.URL).Confirm(ctx, ""); err != nil {
		t.Fatal(err)
	}
	result, err := client.Approvals.Result(ctx, approval.ID, countersign.ApprovalOptions{})
	if err != nil || result.Status != countersign.ApprovalApproved || result.KeyID != phone.KeyID() {
		t.Errorf("%+v, %v", result, err)
	}
	opened := open(t, phone, start().Session.URL)
	if _, err := opened.Confirm(ctx, "", countersigntest.SignWith(mallory)); !hasCode(err, "proof_invalid") {
		t.Errorf("%v", err)
	}
	// A phone that names no user may open it, but its key belongs to another user.
	nameless, err := mallory.Open(ctx, start().Session.URL, countersigntest.As(""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nameless.Confirm(ctx, ""); !hasCode(err, "proof_mismatch") {
		t.Errorf("%v", err)
	}
}
