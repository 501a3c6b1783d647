package countersign

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"
)

// verifyWith verifies a webhook signed with this key, and returns the error.
func verifyWith(client *Client, key signingKey) error {
	body := confirmationEvent(testID)
	_, err := client.Webhooks.Verify(ctx, []byte(body), key.sign(body))
	return err
}

func isUnavailable(err error) bool {
	var found *KeysUnavailableError
	return errors.As(err, &found)
}

func hasReason(err error, reason Reason) bool {
	var found *WebhookVerificationError
	return errors.As(err, &found) && found.Reason == reason
}

func TestKeyIsFoundAfterARotation(t *testing.T) {
	s, world := newStub(t), &testWorld{}
	client := newTestClient(t, s, world, nil)
	first, second := newSigningKey("first"), newSigningKey("second")
	s.publish(first)
	if err := verifyWith(client, first); err != nil {
		t.Fatal(err)
	}
	s.publish(second, first)
	if err := verifyWith(client, second); !isUnavailable(err) {
		t.Errorf("a moment later: %v", err)
	}
	world.pass(10 * time.Second)
	for _, key := range []signingKey{second, first} {
		if err := verifyWith(client, key); err != nil {
			t.Errorf("%s: %v", key.id, err)
		}
	}
	if s.fetches() != 2 {
		t.Errorf("%d fetches", s.fetches())
	}
}

func TestForgedKeyIDsCauseOneFetchInTenSeconds(t *testing.T) {
	s, world := newStub(t), &testWorld{}
	client := newTestClient(t, s, world, nil)
	s.publish(newSigningKey("real"))
	forged := newSigningKey("forged")
	if err := verifyWith(client, forged); !hasReason(err, ReasonSignatureWrong) {
		t.Errorf("first: %v", err)
	}
	for range 5 {
		if err := verifyWith(client, forged); !isUnavailable(err) {
			t.Errorf("later: %v", err)
		}
	}
	world.pass(10*time.Second - 1)
	if err := verifyWith(client, forged); !isUnavailable(err) || s.fetches() != 1 {
		t.Errorf("%v after %d fetches", err, s.fetches())
	}
	world.pass(1)
	if err := verifyWith(client, forged); !hasReason(err, ReasonSignatureWrong) || s.fetches() != 2 {
		t.Errorf("%v after %d fetches", err, s.fetches())
	}
}

func TestKeysAreCachedForMaxAge(t *testing.T) {
	for header, expected := range map[string]time.Duration{
		"": 5 * time.Minute, "public, max-age=60": time.Minute, "Max-Age=3600": time.Hour,
		"s-maxage=5": 5 * time.Minute, "max-age=0": 10 * time.Second, "no-store": 5 * time.Minute,
	} {
		s, world, key := newStub(t), &testWorld{}, newSigningKey("first")
		client := newTestClient(t, s, world, nil)
		s.keys = func(w http.ResponseWriter) {
			w.Header().Set("Cache-Control", header)
			io.WriteString(w, jwks(key))
		}
		for _, step := range []struct {
			pass    time.Duration
			fetches int
		}{{0, 1}, {expected - 1, 1}, {1, 2}} {
			world.pass(step.pass)
			if err := verifyWith(client, key); err != nil || s.fetches() != step.fetches {
				t.Errorf("%q after %v: %d fetches, %v", header, step.pass, s.fetches(), err)
			}
		}
	}
}

func TestConcurrentCallersShareOneFetch(t *testing.T) {
	s, key := newStub(t), newSigningKey("first")
	client := newTestClient(t, s, &testWorld{}, nil)
	started, answer := make(chan struct{}), make(chan struct{})
	s.keys = func(w http.ResponseWriter) {
		close(started) // panics at a second fetch
		<-answer
		io.WriteString(w, jwks(key))
	}
	var group sync.WaitGroup
	verify := func() {
		defer group.Done()
		if err := verifyWith(client, key); err != nil {
			t.Error(err)
		}
	}
	group.Add(1)
	go verify()
	<-started
	for range 15 {
		group.Add(1)
		go verify()
	}
	close(answer)
	group.Wait()
	if s.fetches() != 1 {
		t.Errorf("%d fetches", s.fetches())
	}
}

func TestFetchGoesOnWithoutItsCaller(t *testing.T) {
	s, key := newStub(t), newSigningKey("first")
	client := newTestClient(t, s, &testWorld{}, nil)
	started, answer := make(chan struct{}), make(chan struct{})
	s.keys = func(w http.ResponseWriter) {
		close(started)
		<-answer
		io.WriteString(w, jwks(key))
	}
	gone, leave := context.WithCancel(ctx)
	left := make(chan error)
	go func() {
		body := confirmationEvent(testID)
		_, err := client.Webhooks.Verify(gone, []byte(body), key.sign(body))
		left <- err
	}()
	<-started
	leave()
	if err := <-left; !isUnavailable(err) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(answer)
	if err := verifyWith(client, key); err != nil {
		t.Error(err)
	}
}

func TestBadKeySetsAreUnavailable(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter){
		"503": status(503, `{"keys":[]}`), "redirect": status(301, "", "Location", "/"),
		"empty": status(200, ""), "html": status(200, "<html>"), "no keys": status(200, "{}"),
		"not a list": status(200, `{"keys":7}`), "no point": status(200, `{"keys":[{"kty":"EC","crv":"P-256","kid":"first"}]}`),
		"off the curve": status(200, `{"keys":[{"kty":"EC","crv":"P-256","kid":"first","x":"AQ","y":"AQ"}]}`),
		"aborted":       func(http.ResponseWriter) { panic(http.ErrAbortHandler) },
	} {
		s := newStub(t)
		client := newTestClient(t, s, &testWorld{}, nil)
		s.keys = answer
		if err := verifyWith(client, newSigningKey("first")); !isUnavailable(err) || s.fetches() != 1 {
			t.Errorf("%s: %v after %d fetches", name, err, s.fetches())
		}
	}
}

func TestKeysOfOtherKindsAreSkipped(t *testing.T) {
	s := newStub(t)
	client := newTestClient(t, s, &testWorld{}, nil, WithKeyRefetch(0))
	s.keys = func(w http.ResponseWriter) {
		io.WriteString(w, `{"keys":[{"kty":"RSA","kid":"rsa","n":"AQAB","e":"AQAB"},
			{"kty":"EC","crv":"P-384","kid":"p384","x":"AA","y":"AA"},{"kty":"OKP","crv":"Ed25519","kid":"ed","x":"AA"}]}`)
	}
	for _, kid := range []string{"rsa", "p384", "ed", ""} {
		err := verifyWith(client, newSigningKey(kid))
		expected := ReasonSignatureWrong
		if kid == "" {
			expected = ReasonSignatureMissing
		}
		if !hasReason(err, expected) {
			t.Errorf("%q: %v", kid, err)
		}
	}
}

// noticed is a context that signals when a caller begins to wait for its end.
type noticed struct {
	context.Context
	waiting chan struct{}
}

func (n noticed) Done() <-chan struct{} {
	close(n.waiting)
	return nil
}

// The fetch may have begun before the key was published, so it does not show that the key is forged.
func TestUnknownKeyIsUndecidedForThoseWhoJoinAFetch(t *testing.T) {
	started, answer := make(chan struct{}), make(chan struct{})
	keys := newKeySet(time.Minute, keysTimeout, func() time.Duration { return 0 },
		func(context.Context) (publicKeys, time.Duration, error) {
			close(started)
			<-answer
			return publicKeys{}, 0, nil
		})
	errs := make(chan error)
	find := func(ctx context.Context) {
		_, err := keys.find(ctx, "new")
		errs <- err
	}
	go find(ctx)
	<-started
	joining := noticed{ctx, make(chan struct{})}
	go find(joining)
	<-joining.waiting
	close(answer)
	unavailable := 0
	for range 2 {
		if err := <-errs; isUnavailable(err) {
			unavailable++
		} else if err != nil {
			t.Error(err)
		}
	}
	if unavailable != 1 {
		t.Errorf("%d callers were told to try again", unavailable)
	}
}
