package countersign

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Store records what this service started, and makes sure that each id is accepted only once. All processes
// of a service must share one store. The examples folder has stores for SQL and Redis.
//
// Ids are opaque texts of up to 64 characters.
type Store interface {
	// Remember runs act unless the id is known, and stores the id as pending for the given time if act
	// succeeded. It returns whether the id is new. If act fails, the id stays unknown, and the error is
	// returned.
	Remember(ctx context.Context, id string, ttl time.Duration, act func(context.Context) error) (bool, error)

	// Accept runs act if the id is pending, and marks the id as accepted if act succeeded. If act fails, the id
	// stays pending, and the error is returned. While one caller's act runs, others with the same id wait or
	// fail: no two acts for one id may succeed.
	//
	// If your data and the store share a database, put the transaction into the context that act receives, here
	// and in Remember, so that both are committed together.
	Accept(ctx context.Context, id string, act func(context.Context) error) (Outcome, error)
}

// Outcome is the result of [Store].Accept.
type Outcome int

// Results of [Store].Accept.
const (
	Unknown  Outcome = iota // the id was not remembered, or its time is over
	Accepted                // accepted now
	Repeated                // accepted before
)

const (
	// Longer than the time in which a webhook may be retried or sent again.
	webhookTTL = 8 * 24 * time.Hour
	// Longer than the lifetime of a proof.
	loginTTL = 10 * time.Minute
)

// loginWebhookID is the id of a login's webhook. It differs from the login's own id, so that the webhook does
// not use up the login.
func loginWebhookID(sessionID string) string { return "webhook:" + sessionID }

// rememberOnce makes the store record an id, and checks that the store ran act if the id is new.
func (c *Client) rememberOnce(ctx context.Context, id string, ttl time.Duration, act func(context.Context) error) error {
	var acted bool
	isNew, err := c.store.Remember(ctx, id, ttl, watched(act, &acted))
	if err == nil && isNew && !acted {
		err = errors.New("the store said that an id is remembered, but its act has not succeeded")
	}
	if err != nil {
		return fmt.Errorf("countersign: store: %w", err)
	}
	return nil
}

// watched wraps act and records whether it succeeded.
func watched(act func(context.Context) error, acted *bool) func(context.Context) error {
	return func(ctx context.Context) error {
		err := act(ctx)
		*acted = err == nil
		return err
	}
}

// noAct is used for ids that are recorded without an effect.
func noAct(context.Context) error { return nil }

// acceptOnce makes the store accept an id, and checks that the store ran act.
func (c *Client) acceptOnce(ctx context.Context, id string, act func(context.Context) error) (Outcome, error) {
	var acted bool
	outcome, err := c.store.Accept(ctx, id, watched(act, &acted))
	if err == nil && outcome == Accepted && !acted {
		return Unknown, errors.New("countersign: the store said that an id is accepted, but its act has not succeeded")
	}
	return outcome, err
}
