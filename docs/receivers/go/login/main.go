// A server that logs browsers in by Countersign's proofs, in Go 1.22 or later, with golang-jwt.
//
//	APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json go run .
//
// ../../README.md lists the rules that it follows, and ../../../logins.md explains them.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

const maxBody = 64 * 1024

// refusal is a response that ends the handling of a request. Only the log gets the reason.
type refusal struct {
	status int
	text   string
	reason string
}

func (r refusal) Error() string { return cmp.Or(r.reason, r.text) }

// refuse returns the response to anything that is not a login, with the reason for the log.
func refuse(reason string) error {
	return refusal{http.StatusForbidden, "not logged in", reason}
}

// usedSessions are the sessions that have logged a user in.
//
// In a real service this is a table, so that it survives a restart and all processes share it: take
// is INSERT ... ON CONFLICT DO NOTHING, and true if it wrote a row. Delete rows after ten minutes,
// when every proof of the session has expired.
type usedSessions struct {
	mutex sync.Mutex
	ids   map[string]bool
}

func (u *usedSessions) take(sessionID string) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.ids[sessionID] {
		return false
	}
	u.ids[sessionID] = true
	return true
}

// detail is what the page got with the event `confirmed`.
type detail struct {
	SessionID *string `json:"sessionId"`
	Payload   *string `json:"payload"`
	Salt      *string `json:"salt"`
	Proof     *string `json:"proof"`
}

type server struct {
	verifier *verifier
	used     *usedSessions
}

// onLogin prints a line. Replace it with what your service does to log a user in.
func onLogin(user string) { fmt.Println("logged in", user) }

func (s *server) login(request *http.Request) error {
	// Otherwise another site could log its visitors in here.
	if request.Header.Get("Origin") != s.verifier.origin {
		return refuse("the request comes from another page")
	}
	body, err := io.ReadAll(io.LimitReader(request.Body, maxBody+1))
	if err != nil {
		return refusal{status: http.StatusBadRequest, text: "body not read"}
	}
	if len(body) > maxBody {
		return refusal{status: http.StatusRequestEntityTooLarge, text: "body too large"}
	}
	var d detail
	if err := json.Unmarshal(body, &d); err != nil || d.SessionID == nil || d.Payload == nil ||
		d.Salt == nil || d.Proof == nil {
		return refusal{status: http.StatusBadRequest, text: "not a login"}
	}
	user, err := s.verifier.verify(*d.SessionID, *d.Payload, *d.Salt, *d.Proof)
	if err != nil {
		return err
	}
	// Last, so that a refused proof does not use up the session.
	if !s.used.take(*d.SessionID) {
		return refuse("the session was used before")
	}
	onLogin(user)
	return nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var err error
	switch {
	case request.URL.Path != "/login":
		err = refusal{status: http.StatusNotFound, text: "not found"}
	case request.Method != http.MethodPost:
		err = refusal{status: http.StatusMethodNotAllowed, text: "POST only"}
	default:
		err = s.login(request)
	}
	status, text := http.StatusOK, "logged in"
	if err != nil {
		log.Println("refused:", err)
		said := refusal{status: http.StatusInternalServerError, text: "internal error"}
		errors.As(err, &said)
		status, text = said.status, said.text
	}
	w.Header().Set("content-type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

func main() {
	appKey, origin := os.Getenv("APP_KEY"), os.Getenv("ORIGIN")
	if appKey == "" || origin == "" {
		log.Fatal("set APP_KEY and ORIGIN")
	}
	keys, err := readKeys(cmp.Or(os.Getenv("KEYS"), "keys.json"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4001"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	served := &http.Server{
		ReadTimeout: 10 * time.Second,
		Handler: &server{
			verifier: &verifier{appKey, origin, keys},
			used:     &usedSessions{ids: make(map[string]bool)},
		},
	}
	log.Fatal(served.Serve(listener))
}
