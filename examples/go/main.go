// A service whose users sign up by phone number and log in with their phone, in Go 1.23 or later.
// docs/quickstart.md explains it step by step.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

var (
	port        = cmp.Or(os.Getenv("PORT"), "3000")
	origin      = "http://localhost:" + port
	callbackURL = "http://127.0.0.1:" + port + "/webhook"
	service     = os.Getenv("COUNTERSIGN_URL")
	appKey      = os.Getenv("COUNTERSIGN_APP_KEY")
)

// session is what the server knows about a browser: a confirmation while the user signs up, then the user, with a
// registration while they set a phone up.
type session struct {
	started      countersign.ConfirmationSession
	ends         time.Time // of the confirmation
	user         string
	registration string
}

// server keeps in memory what a real service would store in its database.
type server struct {
	client *countersign.Client
	pages  *template.Template

	mutex     sync.Mutex
	sessions  map[string]session                    // by cookie
	numbers   map[string]string                     // by the id of their confirmation, empty until it is verified
	phoneKeys map[string]*countersign.RegisteredKey // the public keys of users' phones, by key id
}

// startSignUp starts a confirmation for this browser. The element shows the answer, and asks the service for the
// status.
func (s *server) startSignUp(w http.ResponseWriter, r *http.Request) {
	// Phones discard pages that the messages app covers. A page that is reloaded waits for the text of the first
	// page.
	open := s.sessionOf(r)
	if left := time.Until(open.ends); left > time.Second {
		open.started.ExpiresIn = int64(left.Seconds())
		writeJSON(w, http.StatusOK, open.started)
		return
	}
	now := time.Now()
	started, err := s.client.Confirmations.Acquire(r.Context(), countersign.AcquireRequest{
		CallbackURL: callbackURL, ClientChannel: true,
	}, countersign.WithOnStarted(s.recordConfirmation))
	if err != nil {
		fail(w, err)
		return
	}
	ends := now.Add(time.Duration(started.ExpiresIn) * time.Second)
	s.startSession(w, r, session{started: *started, ends: ends})
	writeJSON(w, http.StatusOK, started)
}

// recordConfirmation runs before the page can show the confirmation, so a text cannot arrive earlier.
func (s *server) recordConfirmation(_ context.Context, started *countersign.ConfirmationSession) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.numbers[started.ConfirmationID] = ""
	return nil
}

// onVerified runs once for each confirmation that this server started, however often its webhook arrives.
func (s *server) onVerified(_ context.Context, event *countersign.WebhookBody) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, ok := s.numbers[event.ConfirmationID]; !ok {
		// Otherwise, the number would be lost: the webhook is only sent again if this fails.
		return countersign.ErrRecordMissing
	}
	s.numbers[event.ConfirmationID] = event.PhoneNumber
	return nil
}

// finishSignUp logs the browser in if the webhook of its confirmation has arrived. The page's own report is not
// trusted.
func (s *server) finishSignUp(w http.ResponseWriter, r *http.Request) {
	id := s.sessionOf(r).started.ConfirmationID
	s.mutex.Lock()
	user := s.numbers[id]
	s.mutex.Unlock()
	if user == "" {
		writeJSON(w, http.StatusAccepted, struct{}{})
		return
	}
	// A text is not enough for an account that has a phone: its owner may have been talked into sending it.
	if s.phoneOf(user) != nil {
		s.startSession(w, r, session{})
		http.Error(w, "This number has an account.", http.StatusConflict)
		return
	}
	s.startSession(w, r, session{user: user})
	writeJSON(w, http.StatusOK, map[string]string{"user": user})
}

// addPhoneKey stores the key of the user's first phone. From then on, proofs by it log this user in.
func (s *server) addPhoneKey(w http.ResponseWriter, r *http.Request) {
	user := s.sessionOf(r).user
	if user == "" {
		http.Error(w, "Please log in.", http.StatusUnauthorized)
		return
	}
	var sent struct{ PublicKey, Signature string }
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10)).Decode(&sent)
	// The signature shows that the phone has the private key. Without it, a phone could claim another phone's
	// key.
	if err != nil || sent.Signature == "" {
		http.Error(w, "This is not a key with its signature.", http.StatusUnprocessableEntity)
		return
	}
	if known := s.phoneOf(user); known != nil && known.PublicKey != sent.PublicKey {
		http.Error(w, "This account has a phone.", http.StatusConflict)
		return
	}
	registered, err := s.client.AssociationKeys.Register(r.Context(), countersign.RegisterAssociationKeyRequest{
		PublicUserID: user, PublicKey: sent.PublicKey, Signature: sent.Signature,
	})
	var refused *countersign.ProblemError
	if errors.As(err, &refused) {
		http.Error(w, "This is not a key of this account.", http.StatusUnprocessableEntity)
		return
	}
	if err != nil {
		fail(w, err)
		return
	}
	s.mutex.Lock()
	s.phoneKeys[registered.KeyID] = &countersign.RegisteredKey{PublicKey: sent.PublicKey, UserID: user}
	s.mutex.Unlock()
	writeJSON(w, http.StatusOK, registered)
}

// startPhone starts to set up a phone without an app for this user. The element shows the answer.
func (s *server) startPhone(w http.ResponseWriter, r *http.Request) {
	open := s.sessionOf(r)
	if open.user == "" {
		http.Error(w, "Please log in.", http.StatusUnauthorized)
		return
	}
	if s.phoneOf(open.user) != nil {
		http.Error(w, "This account has a phone.", http.StatusConflict)
		return
	}
	started, err := s.client.PhoneRegistrations.Create(r.Context(), countersign.CreatePhoneRegistrationRequest{
		PublicUserID: open.user,
	})
	if err != nil {
		fail(w, err)
		return
	}
	open.registration = started.RegistrationID
	s.startSession(w, r, open)
	writeJSON(w, http.StatusOK, started)
}

// finishPhone stores the key of the phone that this browser's user has set up. The page's own report is not trusted.
func (s *server) finishPhone(w http.ResponseWriter, r *http.Request) {
	open := s.sessionOf(r)
	if open.registration == "" {
		http.Error(w, "Please log in.", http.StatusUnauthorized)
		return
	}
	registration, err := s.client.PhoneRegistrations.Get(r.Context(), open.registration)
	if err != nil {
		fail(w, err)
		return
	}
	keys, err := s.client.AssociationKeys.List(r.Context(), open.user)
	if err != nil {
		fail(w, err)
		return
	}
	at := slices.IndexFunc(keys, func(key countersign.RegisteredAssociationKey) bool {
		return key.KeyID == registration.KeyID
	})
	if registration.State != countersign.PhoneRegistrationStateCompleted || at < 0 {
		http.Error(w, "The phone is not set up.", http.StatusUnprocessableEntity)
		return
	}
	key := keys[at]
	if known := s.phoneOf(open.user); known != nil && known.PublicKey != key.PublicKey {
		if err := s.client.AssociationKeys.Revoke(r.Context(), key.KeyID); err != nil {
			fail(w, err)
			return
		}
		http.Error(w, "This account has a phone.", http.StatusConflict)
		return
	}
	s.mutex.Lock()
	s.phoneKeys[key.KeyID] = &countersign.RegisteredKey{
		PublicKey: key.PublicKey, UserID: open.user, Kind: key.Kind, RPID: key.RPID, Origin: key.Origin,
	}
	s.mutex.Unlock()
	writeJSON(w, http.StatusOK, map[string]string{"keyId": key.KeyID})
}

func (s *server) phoneOf(user string) *countersign.RegisteredKey {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, key := range s.phoneKeys {
		if key.UserID == user {
			return key
		}
	}
	return nil
}

func (s *server) findKey(_ context.Context, keyID string) (*countersign.RegisteredKey, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.phoneKeys[keyID], nil
}

// onLogin runs once for each login whose proof was made with one of our keys and matches the data from this
// browser.
func (s *server) onLogin(w http.ResponseWriter, r *http.Request, login countersign.Login) error {
	s.startSession(w, r, session{user: login.UserID})
	return nil
}

func (s *server) account(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"user": s.sessionOf(r).user})
}

func (s *server) logOut(w http.ResponseWriter, r *http.Request) {
	s.startSession(w, r, session{})
	writeJSON(w, http.StatusOK, struct{}{})
}

// startSession gives the browser a new session in place of its old one.
func (s *server) startSession(w http.ResponseWriter, r *http.Request, next session) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		panic(err) // not since Go 1.24
	}
	cookie := base64.RawURLEncoding.EncodeToString(secret)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if old, err := r.Cookie("session"); err == nil {
		delete(s.sessions, old.Value)
	}
	s.sessions[cookie] = next
	// With https, add Secure and call it __Host-session.
	http.SetCookie(w, &http.Cookie{
		Name: "session", Value: cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func (s *server) sessionOf(r *http.Request) session {
	cookie, err := r.Cookie("session")
	if err != nil {
		return session{}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.sessions[cookie.Value]
}

// page returns a handler that answers a page of examples/pages.
func (s *server) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if err := s.pages.ExecuteTemplate(w, name, nil); err != nil {
			log.Print(err)
		}
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	http.Error(w, "internal error", http.StatusInternalServerError)
}

// protect sets the headers of every answer, and refuses requests from other pages. Otherwise, another site
// could act here for its visitors. Webhooks are protected by their signature instead.
func protect(next http.Handler) http.Handler {
	socket := strings.Replace(service, "http", "ws", 1)
	policy := "default-src 'none'; script-src 'self' " + service + "; style-src 'self'; img-src data:; " +
		"connect-src 'self' " + service + " " + socket + "; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Method == http.MethodPost && r.URL.Path != "/webhook" && r.Header.Get("Origin") != origin {
			http.Error(w, "the request comes from another page", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func main() {
	client, err := countersign.New(countersign.Config{
		URL:            service,
		APIKey:         os.Getenv("COUNTERSIGN_API_KEY"),
		AppKey:         appKey,
		WebhookSecrets: []string{os.Getenv("COUNTERSIGN_WEBHOOK_SECRET")},
	})
	if err != nil {
		log.Fatal(err)
	}
	values := template.FuncMap{
		"service": func() string { return service },
		"appKey":  func() string { return appKey },
	}
	s := &server{
		client:    client,
		pages:     template.Must(template.New("").Funcs(values).ParseGlob("../pages/*.html")),
		sessions:  make(map[string]session),
		numbers:   make(map[string]string),
		phoneKeys: make(map[string]*countersign.RegisteredKey),
	}
	http.HandleFunc("GET /{$}", s.page("index.html"))
	http.HandleFunc("GET /sign-up", s.page("sign-up.html"))
	http.HandleFunc("GET /login", s.page("login.html"))
	http.Handle("GET /static/", http.StripPrefix("/static/", http.FileServer(http.Dir("../pages/static"))))
	http.HandleFunc("GET /account", s.account)
	http.HandleFunc("POST /sign-up/phone", s.startSignUp)
	http.HandleFunc("POST /sign-up/finish", s.finishSignUp)
	http.HandleFunc("POST /phone-keys", s.addPhoneKey)
	http.HandleFunc("POST /phones", s.startPhone)
	http.HandleFunc("POST /phones/finish", s.finishPhone)
	http.HandleFunc("POST /log-out", s.logOut)
	http.Handle("POST /webhook", client.WebhookHandler(countersign.WebhookOptions{OnVerified: s.onVerified}))
	http.Handle("POST /login", client.LoginHandler(countersign.LoginOptions{
		Origin: origin, FindKey: s.findKey, OnLogin: s.onLogin,
	}))

	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", origin)
	log.Fatal((&http.Server{Handler: protect(http.DefaultServeMux), ReadTimeout: 10 * time.Second}).Serve(listener))
}
