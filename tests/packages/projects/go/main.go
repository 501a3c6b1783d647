// Command shop is a program that installs the module.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	countersign "github.com/countersign/countersign/clients/go"
)

type input struct {
	URL, Secret string
	Delivery    struct {
		Method, Body string
		Headers      map[string]string
	}
}

type used struct {
	ConfirmationID string   `json:"confirmationId"`
	Numbers        []string `json:"numbers"`
	Statuses       []int    `json:"statuses"`
	Problem        string   `json:"problem"`
}

func use(ctx context.Context, given input) (used, error) {
	client, err := countersign.New(countersign.Config{
		URL: given.URL, APIKey: "cs_live_secret", WebhookSecrets: []string{given.Secret},
	})
	if err != nil {
		return used{}, err
	}
	started, err := client.Confirmations.Acquire(ctx, countersign.AcquireRequest{
		CallbackURL: "https://shop.example/webhook",
	})
	if err != nil {
		return used{}, err
	}
	result := used{ConfirmationID: started.ConfirmationID, Problem: "none"}
	handler := client.WebhookHandler(countersign.WebhookOptions{
		OnVerified: func(_ context.Context, event *countersign.WebhookBody) error {
			result.Numbers = append(result.Numbers, event.PhoneNumber)
			return nil
		},
	})
	body := given.Delivery.Body
	for _, one := range []string{body, body, strings.ReplaceAll(body, "0100", "0199")} {
		request := httptest.NewRequestWithContext(ctx, given.Delivery.Method, "/webhook", bytes.NewBufferString(one))
		for name, value := range given.Delivery.Headers {
			request.Header.Set(name, value)
		}
		recorder := httptest.NewRecorder()
		var plain http.Handler = handler
		plain.ServeHTTP(recorder, request)
		result.Statuses = append(result.Statuses, recorder.Code)
	}
	_, err = client.Confirmations.Get(ctx, started.ConfirmationID)
	var problem *countersign.ProblemError
	if errors.As(err, &problem) {
		result.Problem = problem.Code
	}
	return result, nil
}

func main() {
	var given input
	if err := json.Unmarshal([]byte(os.Args[1]), &given); err != nil {
		panic(err)
	}
	result, err := use(context.Background(), given)
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	fmt.Println(countersign.Version)
	fmt.Println(string(text))
}
