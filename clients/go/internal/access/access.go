// Package access lets package countersigntest use a client's keys, and its way to send requests.
package access

import (
	"context"
	"net/http"
)

// Client is the part of a client that a test phone uses.
type Client struct {
	APIKey, AppKey string
	// Send sends a request, again if that may help, and decodes the answer's body. The answer may be nil.
	Send func(ctx context.Context, request Request, answer any) error
}

// Request is a call of the API.
type Request struct {
	Method, Path string
	Header       http.Header
	// Body is encoded as JSON. None is sent if it is nil.
	Body any
	// WithoutKey leaves the API key out.
	WithoutKey bool
}

// Of returns the part of a *countersign.Client. Package countersign sets it.
var Of func(client any) Client
