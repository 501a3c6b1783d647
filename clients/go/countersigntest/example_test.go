package countersigntest_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/countersigntest"
)

// A shop's test of a payment.
func Example() {
	_ = func(t *testing.T) {
		ctx := context.Background()
		shop := newShop(t) // with a client that has a test key
		phone, err := countersigntest.NewPhone(shop.client, "zoe@example.com")
		if err != nil {
			t.Fatal(err)
		}
		shop.addPhoneKey(phone.KeyID(), phone.PublicKey(), phone.UserID())

		opened, err := phone.Open(ctx, shop.startPayment().URL)
		if err != nil {
			t.Fatal(err)
		}
		if opened.Context != "Pay 20 EUR to Zoë" {
			t.Errorf("the phone shows %q", opened.Context)
		}
		if _, err := opened.Confirm(ctx, ""); err != nil {
			t.Fatal(err)
		}
		if state := shop.stateOfPayment(); state != "paid" {
			t.Error(state)
		}
	}
}

// A shop's test of a login, and of an answer that arrives too late.
func ExampleStartLogin() {
	_ = func(t *testing.T) {
		ctx := context.Background()
		shop := newShop(t)
		phone, err := countersigntest.NewPhone(shop.client, "zoe@example.com")
		if err != nil {
			t.Fatal(err)
		}
		shop.addPhoneKey(phone.KeyID(), phone.PublicKey(), phone.UserID())
		open := func() *countersigntest.Opened {
			login, err := countersigntest.StartLogin(ctx, shop.client, "https://shop.example")
			if err != nil {
				t.Fatal(err)
			}
			opened, err := phone.Open(ctx, login.URL)
			if err != nil {
				t.Fatal(err)
			}
			return opened
		}

		detail, err := open().Confirm(ctx, "a token")
		if err != nil {
			t.Fatal(err)
		}
		if status := shop.postLogin(detail); status != http.StatusOK {
			t.Error(status)
		}

		var problem *countersign.ProblemError
		if err := open().ConfirmLate(ctx, "a token"); !errors.As(err, &problem) || problem.Status != http.StatusGone {
			t.Error(err)
		}
	}
}

// shop stands for the server under test.
type shop struct{ client *countersign.Client }

func newShop(*testing.T) *shop { return &shop{} }

func (*shop) addPhoneKey(keyID, publicKey, userID string) {}

func (*shop) startPayment() countersign.ApprovalSession { return countersign.ApprovalSession{} }

func (*shop) stateOfPayment() string { return "" }

func (*shop) postLogin(*countersign.LoginDetail) int { return 0 }
