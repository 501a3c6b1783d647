// A server that logs browsers in by Countersign's proofs, in Go 1.23 or later, with Countersign's library.
//
//	COUNTERSIGN_API_KEY=cs_live_... APP_KEY=cs_app_... ORIGIN=https://shop.example KEYS=keys.json go run .
//
// ../../README.md lists the rules that it follows, and ../../../logins.md explains them.
package main

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

// readKeys reads the users' public keys, by key id. In a real service this is a table; see the README.
func readKeys(file string) (map[string]*countersign.RegisteredKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var entries []struct{ PublicUserID, PublicKey string }
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, err
	}
	keys := make(map[string]*countersign.RegisteredKey)
	for _, entry := range entries {
		id, err := keyID(entry.PublicKey)
		if err != nil {
			return nil, err
		}
		keys[id] = &countersign.RegisteredKey{PublicKey: entry.PublicKey, UserID: entry.PublicUserID}
	}
	return keys, nil
}

// keyID returns a key's JWK thumbprint (RFC 7638).
func keyID(publicKey string) (string, error) {
	der, err := base64.StdEncoding.DecodeString(publicKey)
	if err != nil {
		return "", err
	}
	parsed, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return "", err
	}
	key, ok := parsed.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		return "", errors.New("not a P-256 key")
	}
	encode := base64.RawURLEncoding.EncodeToString
	x, y := key.X.FillBytes(make([]byte, 32)), key.Y.FillBytes(make([]byte, 32))
	digest := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + encode(x) + `","y":"` + encode(y) + `"}`))
	return encode(digest[:]), nil
}

// onLogin prints a line. Replace it with what your service does to log a user in.
func onLogin(_ http.ResponseWriter, _ *http.Request, login countersign.Login) error {
	fmt.Println("logged in", login.UserID)
	return nil
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
	// It asks the service for nothing but the time, and remembers in memory which logins were used. A real service has a Store that survives a restart and that all processes share.
	client, err := countersign.New(countersign.Config{
		URL:    cmp.Or(os.Getenv("COUNTERSIGN_URL"), "http://127.0.0.1:8787"),
		APIKey: os.Getenv("COUNTERSIGN_API_KEY"),
		AppKey: appKey,
	})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/login", client.LoginHandler(countersign.LoginOptions{
		Origin: origin,
		FindKey: func(_ context.Context, keyID string) (*countersign.RegisteredKey, error) {
			return keys[keyID], nil
		},
		OnLogin: onLogin,
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4001"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	server := &http.Server{ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}
