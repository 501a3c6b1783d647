package countersign

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// AssociationKeyService registers your users' public keys with the service. The service then verifies proofs
// as well, and reports the verified users in its webhooks.
type AssociationKeyService struct{ client *Client }

// Register stores a user's key. Call it for the user who is logged in to your app, with your own id for that
// user. Repeating the call is harmless.
func (s *AssociationKeyService) Register(
	ctx context.Context, registration RegisterAssociationKeyRequest, options ...RequestOption,
) (*AssociationKeyID, error) {
	settings := s.client.apply(options)
	text, err := body(registration, settings.fields)
	if err != nil {
		return nil, fmt.Errorf("countersign: %w", err)
	}
	id := &AssociationKeyID{}
	r := request{method: http.MethodPost, path: "/association-keys", body: text, limits: settings.limits}
	if err := s.client.do(ctx, r, id); err != nil {
		return nil, err
	}
	if id.KeyID == "" {
		return nil, s.client.lacking("keyId")
	}
	return id, nil
}

// List returns a user's active keys, oldest first.
func (s *AssociationKeyService) List(
	ctx context.Context, publicUserID string, options ...RequestOption,
) ([]RegisteredAssociationKey, error) {
	return s.list(ctx, publicUserID, s.client.apply(options).limits)
}

func (s *AssociationKeyService) list(
	ctx context.Context, publicUserID string, limits limits,
) ([]RegisteredAssociationKey, error) {
	var keys AssociationKeys
	query := url.Values{"publicUserId": {publicUserID}}
	r := request{method: http.MethodGet, path: "/association-keys", query: query, limits: limits}
	if err := s.client.do(ctx, r, &keys); err != nil {
		return nil, err
	}
	if keys.Keys == nil {
		return nil, s.client.lacking("keys")
	}
	return keys.Keys, nil
}

// Revoke ends a key immediately and permanently. It cannot be registered again.
func (s *AssociationKeyService) Revoke(ctx context.Context, keyID string, options ...RequestOption) error {
	r := request{
		method: http.MethodDelete,
		path:   "/association-keys/" + url.PathEscape(keyID),
		limits: s.client.apply(options).limits,
	}
	return s.client.do(ctx, r, &AssociationKeyID{})
}
