package countersign

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// PhoneRegistrationService sets up phones without an app: the browser on such a phone becomes one of a user's
// phones.
type PhoneRegistrationService struct{ client *Client }

// Create begins to set up a phone. Call it only for a user who has just logged in again, or who has approved it
// with another phone, and give the whole answer to that user's page: anyone who has its URL and PageToken can add a
// phone to the account. So log neither.
//
// The client's [Store] records the registration, so that the webhook about it is accepted. A retry after a lost
// answer creates another registration, and the lost one expires.
func (s *PhoneRegistrationService) Create(
	ctx context.Context, registration CreatePhoneRegistrationRequest, options ...RequestOption,
) (*CreatedPhoneRegistration, error) {
	settings := s.client.apply(options)
	text, err := body(registration, settings.fields)
	if err != nil {
		return nil, fmt.Errorf("countersign: %w", err)
	}
	created := &CreatedPhoneRegistration{}
	r := request{method: http.MethodPost, path: "/phone-registrations", body: text, limits: settings.limits}
	if err := s.client.do(ctx, r, created); err != nil {
		return nil, err
	}
	if created.RegistrationID == "" {
		return nil, s.client.lacking("registrationId")
	}
	if err := s.client.rememberOnce(ctx, created.RegistrationID, webhookTTL, noAct); err != nil {
		return nil, err
	}
	return created, nil
}

// Get returns a registration, which the service keeps for a day. Once its State is
// [PhoneRegistrationStateCompleted], KeyID is one of the user's association keys.
func (s *PhoneRegistrationService) Get(
	ctx context.Context, id string, options ...RequestOption,
) (*ShownPhoneRegistration, error) {
	registration := &ShownPhoneRegistration{}
	r := request{method: http.MethodGet, path: registrationPath(id), limits: s.client.apply(options).limits}
	if err := s.client.do(ctx, r, registration); err != nil {
		return nil, err
	}
	return registration, nil
}

// Cancel ends a registration whose digits the user has not typed yet.
func (s *PhoneRegistrationService) Cancel(ctx context.Context, id string, options ...RequestOption) error {
	r := request{
		method: http.MethodDelete, path: registrationPath(id), mayBeEmpty: true, limits: s.client.apply(options).limits,
	}
	return s.client.do(ctx, r, nil)
}

func registrationPath(id string) string { return "/phone-registrations/" + url.PathEscape(id) }
