package countersign

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/countersign/countersign/clients/go/internal/access"
)

func init() {
	access.Of = func(client any) access.Client {
		c := client.(*Client)
		return access.Client{APIKey: c.apiKey, AppKey: c.appKey, Send: c.send}
	}
}

// send sends a request for a test phone.
func (c *Client) send(ctx context.Context, r access.Request, answer any) error {
	var text []byte
	if r.Body != nil {
		var err error
		if text, err = json.Marshal(r.Body); err != nil {
			return fmt.Errorf("countersign: %w", err)
		}
	}
	return c.do(ctx, request{
		method: r.Method, path: r.Path, header: r.Header, body: text, limits: c.limits,
		withoutKey: r.WithoutKey, mayBeEmpty: answer == nil, mayBeScalar: answer == nil,
	}, answer)
}
