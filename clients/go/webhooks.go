package countersign

import (
	"context"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// timestampTolerance is the maximum difference between webhook-timestamp and the current time.
const timestampTolerance = 5 * time.Minute

var (
	timestampPattern = regexp.MustCompile(`^\d{1,12}$`)
	keyIDPattern     = regexp.MustCompile(`^[\w-]{1,128}$`)
)

// WebhookService verifies webhooks.
type WebhookService struct{ client *Client }

// Event is a verified webhook: a *[WebhookBody], after a text, a *[LoginWebhookBody], after a decision about a
// login, or a *[PhoneRegisteredWebhookBody], after a phone was set up.
type Event interface{ isEvent() }

func (*WebhookBody) isEvent()                {}
func (*LoginWebhookBody) isEvent()           {}
func (*PhoneRegisteredWebhookBody) isEvent() {}

// Verify checks that the service signed the body, and decodes it. Pass the bytes as they arrived: a body that
// has been decoded and encoded again is not the signed one.
//
// A signature shows that the service sent the event. It does not show that the event is yours, or new: accept
// an id only if you stored it, and only once. [Client.WebhookHandler] does all of it.
//
// The error is a [WebhookVerificationError] or a [KeysUnavailableError], or says that [Config] has neither
// WebhookSecrets nor WebhookKeys.
func (s *WebhookService) Verify(ctx context.Context, body []byte, header http.Header) (Event, error) {
	if err := s.client.requireVerification(); err != nil {
		return nil, err
	}
	verify := s.verifyKey
	if len(s.client.secrets) > 0 {
		verify = s.verifySecret
	}
	if err := verify(ctx, body, header); err != nil {
		return nil, err
	}
	return decodeEvent(body)
}

// requireVerification fails if the configuration does not say how to verify webhooks.
func (c *Client) requireVerification() error {
	if len(c.secrets) > 0 || c.byKeys {
		return nil
	}
	return errors.New("countersign: webhooks cannot be verified: set Config.WebhookSecrets, or Config.WebhookKeys " +
		"to PublishedKeys, which takes those of other apps, too")
}

// verifySecret verifies webhook-signature according to Standard Webhooks.
func (s *WebhookService) verifySecret(ctx context.Context, body []byte, header http.Header) error {
	id, timestamp := headerOf(header, "Webhook-Id"), headerOf(header, "Webhook-Timestamp")
	signatures := headerOf(header, "Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return &WebhookVerificationError{ReasonSignatureMissing}
	}
	if !s.signedBySecret(id+"."+timestamp+".", body, signatures) {
		return &WebhookVerificationError{ReasonSignatureWrong}
	}
	// Last, so that strangers cannot make the client ask for the time.
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !timestampPattern.MatchString(timestamp) {
		return &WebhookVerificationError{ReasonTimestampOutOfRange}
	}
	if age := s.client.time(ctx).Sub(time.Unix(seconds, 0)); age.Abs() > timestampTolerance {
		return &WebhookVerificationError{ReasonTimestampOutOfRange}
	}
	return nil
}

func (s *WebhookService) signedBySecret(prefix string, body []byte, signatures string) bool {
	valid := false
	for _, secret := range s.client.secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(prefix))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, signature := range strings.Fields(signatures) {
			// Repeated headers were joined with commas.
			valid = hmac.Equal([]byte(strings.TrimRight(signature, ",")), []byte(expected)) || valid
		}
	}
	return valid
}

// verifyKey verifies x-signature with the published key whose id is in x-signature-key-id.
func (s *WebhookService) verifyKey(ctx context.Context, body []byte, header http.Header) error {
	kid, encoded := headerOf(header, "X-Signature-Key-Id"), headerOf(header, "X-Signature")
	if kid == "" || encoded == "" {
		return &WebhookVerificationError{ReasonSignatureMissing}
	}
	// A malformed id, such as that of a repeated header, triggers no fetch.
	if !keyIDPattern.MatchString(kid) {
		return &WebhookVerificationError{ReasonSignatureWrong}
	}
	key, err := s.client.keys.find(ctx, kid)
	if err != nil {
		return err
	}
	signature, err := base64.StdEncoding.DecodeString(encoded)
	digest := sha256.Sum256(body)
	if err != nil || key == nil || !ecdsa.VerifyASN1(key, digest[:], signature) {
		return &WebhookVerificationError{ReasonSignatureWrong}
	}
	return nil
}

func decodeEvent(body []byte) (Event, error) {
	var kind struct{ Event string }
	refused := &WebhookVerificationError{ReasonNotEvent}
	if err := json.Unmarshal(body, &kind); err != nil {
		return nil, refused
	}
	switch kind.Event {
	case string(PhoneEventPhoneRegistered):
		phone := &PhoneRegisteredWebhookBody{}
		err := json.Unmarshal(body, phone)
		if err != nil || phone.RegistrationID == "" || phone.PublicUserID == "" || phone.KeyID == "" {
			return nil, refused
		}
		return phone, nil
	case string(LoginEventLoginConfirmed), string(LoginEventLoginDenied):
		login := &LoginWebhookBody{}
		if err := json.Unmarshal(body, login); err != nil || login.SessionID == "" {
			return nil, refused
		}
		return login, nil
	}
	confirmation := &WebhookBody{}
	err := json.Unmarshal(body, confirmation)
	if err != nil || confirmation.ConfirmationID == "" || confirmation.PhoneNumber == "" ||
		confirmation.ValidationStatus != "valid" {
		return nil, refused
	}
	return confirmation, nil
}

// UnmarshalJSON decodes an object. Anything else is treated as no metadata: it is the app's own data, and must
// not prevent an event from being accepted.
func (m *Metadata) UnmarshalJSON(text []byte) error {
	var members map[string]any
	if json.Unmarshal(text, &members) != nil {
		members = nil
	}
	*m = members
	return nil
}
