package countersign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	testSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	otherSecret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
)

// secretHeader signs according to Standard Webhooks. The tests in internal/integration use that project's own
// signer.
func secretHeader(secret, id string, at time.Time, body string) http.Header {
	return http.Header{
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {unixText(at)},
		"Webhook-Signature": {secretSignature(secret, id+"."+unixText(at)+"."+body)},
	}
}

func secretSignature(secret, signed string) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		panic(err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(signed))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func TestSignatureByAnySecretCounts(t *testing.T) {
	body := confirmationEvent(testID)
	client := newTestClient(t, newStub(t), &testWorld{}, func(c *Config) {
		c.WebhookSecrets = []string{testSecret, otherSecret}
	})
	for _, secret := range client.secrets {
		header := secretHeader("whsec_"+base64.StdEncoding.EncodeToString(secret), "msg_1", testTime, body)
		right := header.Get("Webhook-Signature")
		for _, signatures := range []string{right, "v1,AAAA " + right, "v1a,AAAA v2,AAAA v1, " + right + " v1"} {
			header.Set("Webhook-Signature", signatures)
			event, err := client.Webhooks.Verify(ctx, []byte(body), header)
			if err != nil {
				t.Fatalf("%s: %v", signatures, err)
			}
			if confirmation, ok := event.(*WebhookBody); !ok || confirmation.PhoneNumber != testNumber ||
				confirmation.Metadata["html"] != "<&>" {
				t.Errorf("%+v", event)
			}
		}
	}
}

func TestForgedSecretSignaturesAreRefused(t *testing.T) {
	body := confirmationEvent(testID)
	client := newTestClient(t, newStub(t), &testWorld{}, func(c *Config) { c.WebhookSecrets = []string{testSecret} })
	right := secretHeader(testSecret, "msg_1", testTime, body)
	signature := right.Get("Webhook-Signature")
	for name, test := range map[string]struct {
		header string
		value  string
		reason Reason
	}{
		"no signature":         {"Webhook-Signature", "", ReasonSignatureMissing},
		"no id":                {"Webhook-Id", "", ReasonSignatureMissing},
		"no timestamp":         {"Webhook-Timestamp", "", ReasonSignatureMissing},
		"another id":           {"Webhook-Id", "msg_2", ReasonSignatureWrong},
		"another time":         {"Webhook-Timestamp", unixText(testTime.Add(1)) + "0", ReasonSignatureWrong},
		"another version":      {"Webhook-Signature", "v2" + signature[2:], ReasonSignatureWrong},
		"no version":           {"Webhook-Signature", signature[3:], ReasonSignatureWrong},
		"cut short":            {"Webhook-Signature", signature[:len(signature)-4], ReasonSignatureWrong},
		"not Base64":           {"Webhook-Signature", "v1,!!!!", ReasonSignatureWrong},
		"another secret":       {"Webhook-Signature", secretHeader(otherSecret, "msg_1", testTime, body).Get("Webhook-Signature"), ReasonSignatureWrong},
		"of another body":      {"Webhook-Signature", secretHeader(testSecret, "msg_1", testTime, body+" ").Get("Webhook-Signature"), ReasonSignatureWrong},
		"a different boundary": {"Webhook-Id", "msg_1.", ReasonSignatureWrong},
	} {
		header := right.Clone()
		header.Set(test.header, test.value)
		if _, err := client.Webhooks.Verify(ctx, []byte(body), header); !hasReason(err, test.reason) {
			t.Errorf("%s: %v", name, err)
		}
	}
	signed := secretHeader(testSecret, "msg_1", testTime, body)
	signed.Set("Webhook-Timestamp", "soon")
	signed.Set("Webhook-Signature", secretSignature(testSecret, "msg_1.soon."+body))
	if _, err := client.Webhooks.Verify(ctx, []byte(body), signed); !hasReason(err, ReasonTimestampOutOfRange) {
		t.Errorf("a timestamp that is no number: %v", err)
	}
}

// If there is a secret, a signature made only with the shared key is not enough: it does not identify the
// app.
func TestSecretMakesItsSignatureNecessary(t *testing.T) {
	s, key := newStub(t), newSigningKey("first")
	s.publish(key)
	client := newTestClient(t, s, &testWorld{}, func(c *Config) { c.WebhookSecrets = []string{testSecret} })
	if err := verifyWith(client, key); !hasReason(err, ReasonSignatureMissing) {
		t.Error(err)
	}
	body := confirmationEvent(testID)
	client = newTestClient(t, s, &testWorld{}, nil)
	_, err := client.Webhooks.Verify(ctx, []byte(body), secretHeader(testSecret, "msg_1", testTime, body))
	if !hasReason(err, ReasonSignatureMissing) {
		t.Error(err)
	}
}

func TestForgedKeySignaturesAreRefused(t *testing.T) {
	s, key := newStub(t), newSigningKey("first")
	s.publish(key)
	client := newTestClient(t, s, &testWorld{}, nil, WithKeyRefetch(0))
	body := confirmationEvent(testID)
	right := key.sign(body)
	der, _ := base64.StdEncoding.DecodeString(right.Get("X-Signature"))
	encode := base64.StdEncoding.EncodeToString
	for name, signature := range map[string]string{
		"not Base64": "!!!!", "not DER": encode([]byte("no")), "zeros": encode([]byte{0x30, 6, 2, 1, 0, 2, 1, 0}),
		"cut short": encode(der[:len(der)-1]), "an extra byte": encode(append(der[:len(der):len(der)], 0)),
		"of another body": key.sign(body + " ").Get("X-Signature"), "of another key": newSigningKey("first").sign(body).Get("X-Signature"),
	} {
		header := right.Clone()
		header.Set("X-Signature", signature)
		if _, err := client.Webhooks.Verify(ctx, []byte(body), header); !hasReason(err, ReasonSignatureWrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := client.Webhooks.Verify(ctx, []byte(body), right); err != nil {
		t.Error(err)
	}
}

func TestSignedBodiesThatAreNoEventsAreToldApart(t *testing.T) {
	s, key := newStub(t), newSigningKey("first")
	s.publish(key)
	client := newTestClient(t, s, &testWorld{}, nil)
	good, login := confirmationEvent(testID), loginEvent("qrs_1")
	for _, body := range []string{
		"", "null", "[]", `"text"`, "{}", good[1:], good + "x", strings.Repeat("[", 20_000),
		strings.Replace(good, `"valid"`, `"invalid"`, 1), strings.Replace(good, `"`+testNumber+`"`, "12", 1),
		strings.Replace(login, "login.denied", "login.opened", 1), strings.Replace(login, `"qrs_1"`, `""`, 1),
	} {
		if _, err := client.Webhooks.Verify(ctx, []byte(body), key.sign(body)); !hasReason(err, ReasonNotEvent) {
			t.Errorf("%.80s: %v", body, err)
		}
	}
	event, err := client.Webhooks.Verify(ctx, []byte(login), key.sign(login))
	if found, ok := event.(*LoginWebhookBody); err != nil || !ok || found.Result != LoginResultDenied {
		t.Errorf("%+v, %v", event, err)
	}
}

func TestMetadataOfAnyKindIsAccepted(t *testing.T) {
	s, key := newStub(t), newSigningKey("first")
	s.publish(key)
	client := newTestClient(t, s, &testWorld{}, nil)
	for _, metadata := range []string{"null", `"text"`, "17", "[{}]", `{"a":[1,{"b":null}]}`} {
		body := strings.Replace(confirmationEvent(testID), `{"html":"<&>"}`, metadata, 1)
		event, err := client.Webhooks.Verify(ctx, []byte(body), key.sign(body))
		if err != nil {
			t.Errorf("%s: %v", metadata, err)
		} else if found := event.(*WebhookBody).Metadata; len(found) > 0 != (metadata[0] == '{') {
			t.Errorf("%s: %v", metadata, found)
		}
	}
}
