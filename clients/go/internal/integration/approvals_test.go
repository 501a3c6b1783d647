package integration

import (
	"context"
	"errors"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
)

func TestAppApprovesOnce(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	findKey := registerPhone(s, client)
	approval, err := client.Approvals.Start(ctx, countersign.ApprovalRequest{
		Origin: s.Demo.URL, Context: "Pay 20 EUR to Zoe\u0308", UserID: user,
	})
	if err != nil {
		t.Fatal(err)
	}
	options := countersign.ApprovalOptions{FindKey: findKey}
	if result, err := client.Approvals.Result(ctx, approval.ID, options); err != nil ||
		result.Status != countersign.ApprovalPending || result.ExpiresIn == 0 {
		t.Errorf("%+v, %v", result, err)
	}
	s.run("phone", "open", approval.Session.URL, "--confirm", "--payload", "", "--public-user-id", user)
	other := s.client(nil)
	var unknown *countersign.UnknownApprovalError
	if _, err := other.Approvals.Result(ctx, approval.ID, options); !errors.As(err, &unknown) || unknown.ID != approval.ID {
		t.Errorf("%v", err)
	}
	result, err := client.Approvals.Result(ctx, approval.ID, options)
	if err != nil || result.Status != countersign.ApprovalApproved || result.UserID != user || result.KeyID == "" ||
		result.Context != "Pay 20 EUR to Zoë" || result.Origin != s.Demo.URL {
		t.Errorf("%+v, %v", result, err)
	}
	if result, err := client.Approvals.Result(ctx, approval.ID, options); err != nil ||
		result.Status != countersign.ApprovalAlreadyReported {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestKeyOfTheServiceApproves(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	registerPhone(s, client)
	approval, err := client.Approvals.Start(ctx, countersign.ApprovalRequest{
		Origin: s.Demo.URL, Context: "Pay 20 EUR to Zoë", UserID: user,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.run("phone", "open", approval.Session.URL, "--confirm", "--payload", "", "--public-user-id", user)
	result, err := client.Approvals.Result(ctx, approval.ID, countersign.ApprovalOptions{})
	if err != nil || result.Status != countersign.ApprovalApproved || result.UserID != user {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestCancelledApprovalHasExpired(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	approval, err := client.Approvals.Start(ctx, countersign.ApprovalRequest{
		Origin: s.Demo.URL, Context: "Pay 20 EUR to Zoë", UserID: user,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Logins.Cancel(ctx, approval.ID); err != nil {
		t.Fatal(err)
	}
	result, err := client.Approvals.Result(ctx, approval.ID, countersign.ApprovalOptions{})
	if err != nil || result.Status != countersign.ApprovalExpired || result.Reason != countersign.ReasonCancelled {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestLoginThatIsNoApprovalIsUnknown(t *testing.T) {
	s := startServer(t)
	client := s.client(nil)
	opened := s.browser().open(client, "Pay 20 EUR to Zoë")
	_, err := client.Approvals.Result(context.Background(), opened.SessionID, countersign.ApprovalOptions{})
	var unknown *countersign.UnknownApprovalError
	if !errors.As(err, &unknown) {
		t.Errorf("%v", err)
	}
}
