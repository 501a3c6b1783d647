// A Countersign webhook receiver in Go 1.23 or later, with Countersign's library.
//
//	COUNTERSIGN_API_KEY=cs_live_... go run .
//
// ../README.md lists the rules that it follows, and ../../webhooks.md explains them.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

// onVerified prints a line. Replace it with what your service does with a verified number. The library calls
// it once for each confirmation that this process started. If there is no record of the confirmation, it has to return
// countersign.ErrRecordMissing: the webhook comes again only then.
func onVerified(_ context.Context, event *countersign.WebhookBody) error {
	fmt.Println("verified", mask(event.PhoneNumber))
	return nil
}

func mask(number string) string {
	if len(number) < 5 {
		return "***"
	}
	return number[:3] + "***" + number[len(number)-2:]
}

// start starts a confirmation, to try the receiver by hand. A real service does so for a signed-in
// user.
func start(client *countersign.Client, callbackURL string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		started, err := client.Confirmations.Acquire(r.Context(), countersign.AcquireRequest{CallbackURL: callbackURL})
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			io.WriteString(w, err.Error())
			return
		}
		w.Header().Set("content-type", "application/json")
		json.NewEncoder(w).Encode(started)
	}
}

func main() {
	refetch, err := strconv.Atoi(cmp.Or(os.Getenv("KEY_REFETCH_SECONDS"), "10"))
	if err != nil {
		log.Fatal("KEY_REFETCH_SECONDS must be a number")
	}
	client, err := countersign.New(countersign.Config{
		URL:    cmp.Or(os.Getenv("COUNTERSIGN_URL"), "http://127.0.0.1:8787"),
		APIKey: os.Getenv("COUNTERSIGN_API_KEY"),
		// An app's own secret is better: give it as WebhookSecrets.
		WebhookKeys: countersign.PublishedKeys,
	}, countersign.WithKeyRefetch(time.Duration(refetch)*time.Second))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4000"))
	if err != nil {
		log.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	http.Handle("/webhook", client.WebhookHandler(countersign.WebhookOptions{OnVerified: onVerified}))
	http.Handle("POST /start", start(client, cmp.Or(os.Getenv("CALLBACK_URL"), address+"/webhook")))
	fmt.Println("listening on", address)
	server := &http.Server{ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
