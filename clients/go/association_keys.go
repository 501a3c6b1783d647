package countersign

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// AssociationKeyService registers the public keys of your users' phones with the service, which then verifies
// proofs as well, and says so in its webhooks.
type AssociationKeyService struct{ client *Client }

// Register stores the key of a user. Call it for the user who is logged in to the app, with your own id for
// them. Repeating it is harmless.
func (s *AssociationKeyService) Register(
	ctx context.Context, registration RegisterAssociationKeyRequest, options ...RequestOption,
) (*AssociationKeyID, error) {
	text, err := body(registration, apply(options).fields)
	if err != nil {
		return nil, fmt.Errorf("countersign: %w", err)
	}
	id := &AssociationKeyID{}
	r := request{method: http.MethodPost, path: "/association-keys", body: text}
	if err := s.client.do(ctx, r, id); err != nil {
		return nil, err
	}
	return id, nil
}

// List returns a user's active keys, oldest first.
func (s *AssociationKeyService) List(ctx context.Context, publicUserID string) ([]RegisteredAssociationKey, error) {
	var keys AssociationKeys
	query := url.Values{"publicUserId": {publicUserID}}
	r := request{method: http.MethodGet, path: "/association-keys", query: query}
	if err := s.client.do(ctx, r, &keys); err != nil {
		return nil, err
	}
	return keys.Keys, nil
}

// Revoke ends a key for ever, at once. It cannot be registered again.
func (s *AssociationKeyService) Revoke(ctx context.Context, keyID string) error {
	r := request{method: http.MethodDelete, path: "/association-keys/" + url.PathEscape(keyID)}
	return s.client.do(ctx, r, &AssociationKeyID{})
}
