// Package access gives package countersigntest access to a client's keys and its way to send requests.
package access

import (
	"context"
	"net/http"
)

// Client is the part of a client that a test phone uses.
type Client struct {
	APIKey, AppKey string
	// Send sends a request, retries it if that may help, and decodes the answer's body. The answer may be nil.
	Send func(ctx context.Context, request Request, answer any) error
}

// Request is an API call.
type Request struct {
	Method, Path string
	Header       http.Header
	// Body is encoded as JSON. If it is nil, no body is sent.
	Body any
	// WithoutKey omits the API key.
	WithoutKey bool
}

// Of returns that part of a *countersign.Client. Package countersign sets it.
var Of func(client any) Client
