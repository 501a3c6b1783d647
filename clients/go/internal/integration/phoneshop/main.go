// Phoneshop is the shop of tests/browser/support/phone-shop.mjs, with the library for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"sync"

	countersign "github.com/countersign/countersign/clients/go"
)

func env(name string) string { return os.Getenv("COUNTERSIGN_" + name) }

// shop is the server. Its owners are the users by the id of their phone's key, as the webhook names them.
type shop struct {
	client *countersign.Client

	mutex  sync.Mutex
	owners map[string]string
}

// say prints a line of JSON.
func (s *shop) say(line map[string]any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		log.Fatal(err)
	}
}

func (s *shop) findKey(ctx context.Context, keyID string) (*countersign.RegisteredKey, error) {
	s.mutex.Lock()
	user := s.owners[keyID]
	s.mutex.Unlock()
	if user == "" {
		return nil, nil
	}
	keys, err := s.client.AssociationKeys.List(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if key.KeyID == keyID {
			return &countersign.RegisteredKey{
				PublicKey: key.PublicKey, UserID: user, Kind: key.Kind, RPID: key.RPID, Origin: key.Origin,
			}, nil
		}
	}
	return nil, nil
}

type registrationOrApproval struct{ ID string }

type toApprove struct{ Origin, Context, UserID string }

type toVerify struct {
	SessionID, Proof, Origin, Context string
	Keys                              []struct{ KeyID, PublicKey, UserID, Kind, RPID, Origin string }
}

func (s *shop) register(ctx context.Context, asked countersign.CreatePhoneRegistrationRequest) (any, error) {
	return s.client.PhoneRegistrations.Create(ctx, asked)
}

func (s *shop) registration(ctx context.Context, asked registrationOrApproval) (any, error) {
	return s.client.PhoneRegistrations.Get(ctx, asked.ID)
}

func (s *shop) start(ctx context.Context, asked toApprove) (any, error) {
	approval, err := s.client.Approvals.Start(ctx, countersign.ApprovalRequest{
		Origin: asked.Origin, Context: asked.Context, UserID: asked.UserID,
	})
	if err != nil {
		return nil, err
	}
	return map[string]any{"id": approval.ID, "session": approval.Session}, nil
}

func (s *shop) result(ctx context.Context, asked registrationOrApproval) (any, error) {
	result, err := s.client.Approvals.Result(ctx, asked.ID, countersign.ApprovalOptions{FindKey: s.findKey})
	if err != nil {
		return nil, err
	}
	return toJSON(result), nil
}

// toJSON returns the members that a result has.
func toJSON(result *countersign.ApprovalResult) map[string]any {
	members := map[string]any{"id": result.ID, "status": result.Status}
	for name, value := range map[string]string{
		"reason": string(result.Reason), "userId": result.UserID, "keyId": result.KeyID,
		"context": result.Context, "origin": result.Origin,
	} {
		if value != "" {
			members[name] = value
		}
	}
	return members
}

func (s *shop) verify(ctx context.Context, asked toVerify) (any, error) {
	findKey := s.findKey
	if asked.Keys != nil {
		findKey = func(_ context.Context, keyID string) (*countersign.RegisteredKey, error) {
			for _, key := range asked.Keys {
				if key.KeyID == keyID {
					return &countersign.RegisteredKey{
						PublicKey: key.PublicKey, UserID: key.UserID, Kind: countersign.AssociationKeyKind(key.Kind),
						RPID: key.RPID, Origin: key.Origin,
					}, nil
				}
			}
			return nil, nil
		}
	}
	detail := countersign.LoginDetail{SessionID: asked.SessionID, Proof: asked.Proof}
	login, err := s.client.Logins.Verify(ctx, detail, countersign.LoginExpectation{
		Origin: asked.Origin, Context: asked.Context, FindKey: findKey, OpenedByServer: true,
	})
	var refused *countersign.LoginVerificationError
	if errors.As(err, &refused) {
		return map[string]string{"refused": refused.Reason}, nil
	}
	if err != nil {
		return nil, err
	}
	return map[string]string{"userId": login.UserID, "keyId": login.KeyID}, nil
}

func (s *shop) onPhoneRegistered(_ context.Context, phone *countersign.PhoneRegisteredWebhookBody) error {
	s.mutex.Lock()
	s.owners[phone.KeyID] = phone.PublicUserID
	s.mutex.Unlock()
	s.say(map[string]any{
		"event": "phone", "id": phone.RegistrationID, "user": phone.PublicUserID, "keyId": phone.KeyID, "kind": phone.Kind,
	})
	return nil
}

func (s *shop) onApproval(_ context.Context, result *countersign.ApprovalResult) error {
	line := toJSON(result)
	line["event"] = "approval"
	s.say(line)
	return nil
}

func onLogin(w http.ResponseWriter, _ *http.Request, login countersign.Login) error {
	return json.NewEncoder(w).Encode(map[string]string{"userId": login.UserID, "keyId": login.KeyID})
}

// handle adds a route whose request and answer are JSON.
func handle[T any](path string, call func(context.Context, T) (any, error)) {
	http.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var asked T
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, err := call(r.Context(), asked)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			log.Print(err)
		}
	})
}

func main() {
	client, err := countersign.New(countersign.Config{
		URL: env("URL"), APIKey: env("API_KEY"), AppKey: env("APP_KEY"), WebhookSecrets: []string{env("WEBHOOK_SECRET")},
	})
	if err != nil {
		log.Fatal(err)
	}
	s := &shop{client: client, owners: make(map[string]string)}
	handle("/register", s.register)
	handle("/registration", s.registration)
	handle("/start", s.start)
	handle("/result", s.result)
	handle("/verify", s.verify)
	http.Handle("/webhook", client.WebhookHandler(countersign.WebhookOptions{
		OnPhoneRegistered: s.onPhoneRegistered, OnApproval: s.onApproval, FindKey: s.findKey,
	}))
	http.Handle("/login", client.LoginHandler(countersign.LoginOptions{
		Origin: env("SHOP_ORIGIN"), FindKey: s.findKey, OnLogin: onLogin,
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	s.say(map[string]any{"event": "ready", "url": "http://" + listener.Addr().String()})
	log.Fatal(http.Serve(listener, nil))
}
