package countersign_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	countersign "github.com/countersign/countersign/clients/go"
)

// A phone number, from the text to your database.
func Example() {
	client, err := countersign.New(countersign.Config{
		URL:            "https://api.shop.example",
		APIKey:         os.Getenv("COUNTERSIGN_API_KEY"),
		WebhookSecrets: []string{os.Getenv("COUNTERSIGN_WEBHOOK_SECRET")},
	})
	if err != nil {
		log.Fatal(err)
	}
	started, err := client.Confirmations.Acquire(context.Background(), countersign.AcquireRequest{
		CallbackURL: "https://shop.example/hooks/countersign",
	}, countersign.WithOnStarted(func(ctx context.Context, started *countersign.ConfirmationSession) error {
		return insertConfirmation(ctx, started.ConfirmationID)
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(started.ConfirmationURI.SMS) // for the person whom the record names

	http.Handle("/hooks/countersign", client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(ctx context.Context, event *countersign.WebhookBody) error {
			saved, err := saveNumber(ctx, event.ConfirmationID, event.PhoneNumber)
			if err == nil && !saved {
				err = countersign.ErrRecordMissing // the service sends the webhook again
			}
			return err
		},
	}))
}

func ExampleClient_LoginHandler() {
	var client *countersign.Client // from countersign.New, with an AppKey

	http.Handle("/login", client.LoginHandler(countersign.LoginOptions{
		Origin: "https://shop.example",
		FindKey: func(ctx context.Context, keyID string) (*countersign.RegisteredKey, error) {
			return findKey(ctx, keyID)
		},
		OnLogin: func(w http.ResponseWriter, r *http.Request, login countersign.Login) error {
			return startSession(w, r, login.UserID)
		},
	}))
}

// A payment that a user approves on the phone.
func ExampleApprovalService() {
	var client *countersign.Client // from countersign.New, with an AppKey

	// It runs once, whichever comes first: the page or the webhook.
	onResult := func(ctx context.Context, result *countersign.ApprovalResult) error {
		return finishOrder(ctx, result.ID, result.Status == countersign.ApprovalApproved)
	}
	http.HandleFunc("POST /pay", func(w http.ResponseWriter, r *http.Request) {
		approval, err := client.Approvals.Start(r.Context(), countersign.ApprovalRequest{
			Origin: "https://shop.example", Context: "Pay 20 EUR to Zoë", UserID: userOf(r),
			OnStarted: func(ctx context.Context, approval *countersign.Approval) error {
				return insertOrder(ctx, approval.ID, userOf(r))
			},
		})
		if err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		json.NewEncoder(w).Encode(approval.Session) // for <countersign-login session="…">
	})
	http.HandleFunc("POST /paid", func(w http.ResponseWriter, r *http.Request) {
		options := countersign.ApprovalOptions{OnResult: onResult}
		// The id is that of this browser's own order, not one from the request.
		if _, err := client.Approvals.Result(r.Context(), approvalOf(r), options); err != nil {
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, stateOf(r))
	})
	http.Handle("/hooks/countersign", client.WebhookHandler(countersign.WebhookOptions{OnApproval: onResult}))
}

func ExampleProblemError() {
	var client *countersign.Client

	_, err := client.Confirmations.Confirm(context.Background(), countersign.ConfirmRequest{PhoneNumber: "+1 202"})
	var problem *countersign.ProblemError
	var connection *countersign.ConnectionError
	switch {
	case errors.As(err, &problem) && problem.Code == countersign.CodePhoneNumberNotPossible:
		// Ask for the number again.
	case errors.As(err, &problem) && problem.RetryAfter > 0:
		// Tell the user to wait.
	case errors.As(err, &connection):
		// Offer another way in.
	}
}

func insertOrder(context.Context, string, string) error { return nil }

func finishOrder(context.Context, string, bool) error { return nil }

func userOf(*http.Request) string { return "" }

func approvalOf(*http.Request) string { return "" }

func stateOf(*http.Request) string { return "" }

func insertConfirmation(context.Context, string) error { return nil }

func saveNumber(context.Context, string, string) (bool, error) { return true, nil }

func findKey(context.Context, string) (*countersign.RegisteredKey, error) { return nil, nil }

func startSession(http.ResponseWriter, *http.Request, string) error { return nil }
