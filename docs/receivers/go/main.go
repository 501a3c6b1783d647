// A Countersign webhook receiver in Go 1.22 or later, with only the standard library.
//
//	COUNTERSIGN_API_KEY=cs_live_... go run .
//
// ../README.md lists the rules that it follows, and ../../webhooks.md explains them.
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	maxBody         = 64 * 1024
	outgoingTimeout = 5 * time.Second
)

// refusal is an answer that ends the handling of a request.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

var outgoing = &http.Client{
	Timeout:       outgoingTimeout,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

type receiver struct {
	baseURL       string
	apiKey        string
	callbackURL   string
	keys          *keyRing
	confirmations *confirmations
}

type event struct {
	ConfirmationID   string `json:"confirmationId"`
	PhoneNumber      string `json:"phoneNumber"`
	ValidationStatus string `json:"validationStatus"`
}

// onVerified prints a line. Replace it with what your service does with a verified number.
func onVerified(e event) { fmt.Println("verified", mask(e.PhoneNumber)) }

func mask(number string) string {
	if len(number) < 5 {
		return "***"
	}
	return number[:3] + "***" + number[len(number)-2:]
}

func (r *receiver) webhook(request *http.Request) (string, error) {
	// The signature is of these raw bytes, never of a decoded and re-encoded body.
	// (encoding/json, for one, would write <, > and & differently.)
	body, err := readBody(request)
	if err != nil {
		return "", err
	}
	if err := r.checkSignature(request.Context(), request.Header, body); err != nil {
		return "", err
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil || e.ConfirmationID == "" ||
		e.PhoneNumber == "" || e.ValidationStatus != "valid" {
		return "", refusal{http.StatusBadRequest, "not a confirmation"}
	}
	switch r.confirmations.accept(e.ConfirmationID) {
	case accepted:
		onVerified(e)
		return "accepted", nil
	case repeated:
		return "already accepted", nil
	default:
		return "", refusal{http.StatusNotFound, "unknown confirmation"}
	}
}

func readBody(request *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBody+1))
	if err != nil {
		return nil, refusal{http.StatusBadRequest, "body not read"}
	}
	if len(body) > maxBody {
		return nil, refusal{http.StatusRequestEntityTooLarge, "body too large"}
	}
	return body, nil
}

func (r *receiver) checkSignature(ctx context.Context, header http.Header, body []byte) error {
	kid, encoded := header.Get("x-signature-key-id"), header.Get("x-signature")
	if kid == "" || encoded == "" {
		return refusal{http.StatusForbidden, "signature missing"}
	}
	key, err := r.keys.find(ctx, kid)
	if err != nil {
		log.Println("no keys:", err)
		return refusal{http.StatusInternalServerError, "cannot verify just now"}
	}
	signature, err := base64.StdEncoding.DecodeString(encoded)
	digest := sha256.Sum256(body)
	// The signature is DER, which VerifyASN1 expects.
	if err != nil || key == nil || !ecdsa.VerifyASN1(key, digest[:], signature) {
		return refusal{http.StatusForbidden, "signature refused"}
	}
	return nil
}

// start starts a confirmation, to try the receiver by hand. A real service does so for a signed-in
// user.
func (r *receiver) start(request *http.Request) (string, error) {
	body, err := json.Marshal(map[string]string{"callbackUrl": r.callbackURL})
	if err != nil {
		return "", err
	}
	call, err := http.NewRequestWithContext(request.Context(), http.MethodPost,
		r.baseURL+"/acquire-phone-number", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	call.Header.Set("content-type", "application/json")
	call.Header.Set("x-api-key", r.apiKey)
	response, err := outgoing.Do(call)
	if err != nil {
		return "", refusal{http.StatusBadGateway, "the service did not answer"}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil || response.StatusCode != http.StatusOK {
		said := fmt.Sprintf("the service said %d: %s", response.StatusCode, text)
		return "", refusal{http.StatusBadGateway, said}
	}
	var session struct {
		ConfirmationID string `json:"confirmationId"`
	}
	if err := json.Unmarshal(text, &session); err != nil {
		return "", err
	}
	r.confirmations.remember(session.ConfirmationID)
	return string(text), nil
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	routes := map[string]func(*http.Request) (string, error){
		"/webhook": r.webhook,
		"/start":   r.start,
	}
	route, found := routes[request.URL.Path]
	text, err := "", error(refusal{http.StatusNotFound, "not found"})
	if found && request.Method != http.MethodPost {
		err = refusal{http.StatusMethodNotAllowed, "POST only"}
	} else if found {
		text, err = route(request)
	}
	status := http.StatusOK
	if err != nil {
		said := refusal{http.StatusInternalServerError, "internal error"}
		if !errors.As(err, &said) {
			log.Println(err)
		}
		status, text = said.status, said.text
	}
	kind := "text/plain; charset=utf-8"
	if strings.HasPrefix(text, "{") {
		kind = "application/json"
	}
	w.Header().Set("content-type", kind)
	w.WriteHeader(status)
	io.WriteString(w, text)
}

func main() {
	baseURL := strings.TrimRight(cmp.Or(os.Getenv("COUNTERSIGN_URL"), "http://127.0.0.1:8787"), "/")
	parsed, err := url.Parse(baseURL)
	// Over plain http, anybody on the network path could send us a key of their own.
	if err != nil || parsed.Scheme != "https" && !isLoopback(parsed.Hostname()) {
		log.Fatal("COUNTERSIGN_URL must be https")
	}
	refetch, err := strconv.Atoi(cmp.Or(os.Getenv("KEY_REFETCH_SECONDS"), "10"))
	if err != nil {
		log.Fatal("KEY_REFETCH_SECONDS must be a number")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4000"))
	if err != nil {
		log.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	server := &http.Server{
		ReadTimeout: 10 * time.Second,
		Handler: &receiver{
			baseURL:       baseURL,
			apiKey:        os.Getenv("COUNTERSIGN_API_KEY"),
			callbackURL:   cmp.Or(os.Getenv("CALLBACK_URL"), address+"/webhook"),
			keys:          newKeyRing(baseURL, time.Duration(refetch)*time.Second),
			confirmations: newConfirmations(),
		},
	}
	fmt.Println("listening on", address)
	log.Fatal(server.Serve(listener))
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
