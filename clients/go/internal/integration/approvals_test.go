package integration

import (
	"context"
	"errors"
	"testing"

	countersign "github.com/countersign/countersign/clients/go"
)

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
