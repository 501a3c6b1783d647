package main

import (
	"context"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/countersigntest"
	"github.com/countersign/countersign/clients/go/startlimit"
)

// The phone and the limiter come with the module.
func TestPackagesOfTheModule(t *testing.T) {
	client, err := countersign.New(countersign.Config{
		URL: "https://countersign.example", APIKey: "cs_test_secret", AppKey: "cs_app_0123456789abcdefABCDEF",
	})
	if err != nil {
		t.Fatal(err)
	}
	phone, err := countersigntest.NewPhone(client, "zoe@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := phone.Open(context.Background(), "http://login.shop.example"); err == nil {
		t.Error("a link without https was opened")
	}
	limiter, err := startlimit.New(startlimit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for ; taken < 10; taken++ {
		refusal, err := limiter.Take(context.Background(), startlimit.Start{Browser: "one", Address: "192.0.2.1"})
		if err != nil {
			t.Fatal(err)
		}
		if refusal != nil {
			break
		}
	}
	if taken != 5 {
		t.Errorf("%d starts were taken", taken)
	}
}
