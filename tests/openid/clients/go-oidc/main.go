// Command go-oidc is a site whose users log in with go-oidc and golang.org/x/oauth2.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type session struct {
	state, nonce, verifier string
	user                   *user
}

type user struct {
	Sub         string `json:"sub"`
	PhoneNumber string `json:"phone_number"`
}

type site struct {
	config   oauth2.Config
	verifier *oidc.IDTokenVerifier
	lock     sync.Mutex
	sessions map[string]*session
}

func main() {
	provider, err := oidc.NewProvider(context.Background(), os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	address := "http://localhost:" + os.Getenv("PORT")
	s := &site{
		config: oauth2.Config{
			ClientID:     os.Getenv("CLIENT_ID"),
			ClientSecret: os.Getenv("CLIENT_SECRET"),
			Endpoint:     provider.Endpoint(),
			RedirectURL:  address + "/callback",
			Scopes:       []string{oidc.ScopeOpenID, "phone"},
		},
		verifier: provider.Verifier(&oidc.Config{ClientID: os.Getenv("CLIENT_ID")}),
		sessions: map[string]*session{},
	}
	http.HandleFunc("GET /{$}", s.home)
	http.HandleFunc("GET /me", s.me)
	http.HandleFunc("GET /login", s.login)
	http.HandleFunc("GET /callback", s.callback)
	fmt.Println("listening on", address)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func (s *site) session(r *http.Request) *session {
	cookie, err := r.Cookie("session")
	if err != nil {
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.sessions[cookie.Value]
}

func (s *site) home(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if mine := s.session(r); mine != nil && mine.user != nil {
		fmt.Fprint(w, "<p>Logged in</p>")
		return
	}
	fmt.Fprint(w, `<p>Not logged in</p><a href="/login">Log in</a>`)
}

func (s *site) me(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	var found *user
	if mine := s.session(r); mine != nil {
		found = mine.user
	}
	json.NewEncoder(w).Encode(found)
}

func (s *site) login(w http.ResponseWriter, r *http.Request) {
	mine := &session{state: rand.Text(), nonce: rand.Text(), verifier: oauth2.GenerateVerifier()}
	id := rand.Text()
	s.lock.Lock()
	s.sessions[id] = mine
	s.lock.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	target := s.config.AuthCodeURL(mine.state, oidc.Nonce(mine.nonce), oauth2.S256ChallengeOption(mine.verifier))
	http.Redirect(w, r, target, http.StatusFound)
}

func (s *site) callback(w http.ResponseWriter, r *http.Request) {
	mine := s.session(r)
	if mine == nil || r.FormValue("state") != mine.state {
		http.Error(w, "Not logged in: another browser's login", http.StatusUnauthorized)
		return
	}
	if reason := r.FormValue("error"); reason != "" {
		http.Error(w, "Not logged in: "+reason, http.StatusUnauthorized)
		return
	}
	found, err := s.redeem(r.Context(), r.FormValue("code"), mine)
	if err != nil {
		log.Print(err)
		http.Error(w, "Not logged in", http.StatusUnauthorized)
		return
	}
	mine.user = found
	http.Redirect(w, r, "/", http.StatusFound)
}

func (s *site) redeem(ctx context.Context, code string, mine *session) (*user, error) {
	tokens, err := s.config.Exchange(ctx, code, oauth2.VerifierOption(mine.verifier))
	if err != nil {
		return nil, err
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := s.verifier.Verify(ctx, raw)
	if err != nil {
		return nil, err
	}
	if token.Nonce != mine.nonce {
		return nil, fmt.Errorf("the token has another nonce")
	}
	found := &user{}
	return found, token.Claims(found)
}
