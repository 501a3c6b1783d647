// Package storetest contains the tests that every countersign.Store must pass.
package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

const id = "cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4"

// Clock is the clock of a store under test.
type Clock struct{ at atomic.Int64 }

// Now returns the time since the start.
func (c *Clock) Now() time.Duration { return time.Duration(c.at.Load()) }

// Advance lets time pass.
func (c *Clock) Advance(by time.Duration) { c.at.Add(int64(by)) }

// Run tests the stores that this function creates.
func Run(t *testing.T, create func(*testing.T, *Clock) countersign.Store) {
	tests := map[string]func(*testing.T, countersign.Store, *Clock){
		"unknown id is not acted on":          unknown,
		"id is accepted once":                 once,
		"failed act leaves the id pending":    failing,
		"remembering again changes nothing":   again,
		"failed record leaves it unknown":     unrecorded,
		"record is written once":              recorded,
		"concurrent records are written once": concurrentRecords,
		"id is forgotten after its time":      expiry,
		"ids do not affect each other":        others,
		"concurrent accepts act once":         concurrent,
		"panicking act leaves the id pending": afterPanic,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clock := &Clock{}
			test(t, create(t, clock), clock)
		})
	}
}

func remember(t *testing.T, store countersign.Store, id string) {
	t.Helper()
	if _, err := store.Remember(context.Background(), id, time.Hour, nothing); err != nil {
		t.Fatal(err)
	}
}

func nothing(context.Context) error { return nil }

func expect(t *testing.T, store countersign.Store, id string, expected countersign.Outcome) {
	t.Helper()
	acted := 0
	outcome, err := store.Accept(context.Background(), id, func(context.Context) error { acted++; return nil })
	if err != nil || outcome != expected {
		t.Fatalf("outcome %v, error %v, expected %v", outcome, err, expected)
	}
	if (acted == 1) != (expected == countersign.Accepted) || acted > 1 {
		t.Fatalf("acted %d times with outcome %v", acted, outcome)
	}
}

func unknown(t *testing.T, store countersign.Store, _ *Clock) {
	expect(t, store, id, countersign.Unknown)
}

func once(t *testing.T, store countersign.Store, _ *Clock) {
	remember(t, store, id)
	expect(t, store, id, countersign.Accepted)
	expect(t, store, id, countersign.Repeated)
	expect(t, store, id, countersign.Repeated)
}

func failing(t *testing.T, store countersign.Store, _ *Clock) {
	remember(t, store, id)
	failure := errors.New("no")
	_, err := store.Accept(context.Background(), id, func(context.Context) error { return failure })
	if !errors.Is(err, failure) {
		t.Fatalf("error %v", err)
	}
	expect(t, store, id, countersign.Accepted)
}

func again(t *testing.T, store countersign.Store, _ *Clock) {
	remember(t, store, id)
	remember(t, store, id)
	expect(t, store, id, countersign.Accepted)
	remember(t, store, id)
	expect(t, store, id, countersign.Repeated)
}

func unrecorded(t *testing.T, store countersign.Store, _ *Clock) {
	failure := errors.New("no")
	isNew, err := store.Remember(context.Background(), id, time.Hour, func(context.Context) error { return failure })
	if !errors.Is(err, failure) || isNew {
		t.Fatalf("%v, error %v", isNew, err)
	}
	expect(t, store, id, countersign.Unknown)
	remember(t, store, id)
	expect(t, store, id, countersign.Accepted)
}

func recorded(t *testing.T, store countersign.Store, _ *Clock) {
	acted := 0
	write := func(context.Context) error { acted++; return nil }
	for _, expected := range []bool{true, false} {
		if isNew, err := store.Remember(context.Background(), id, time.Hour, write); err != nil || isNew != expected {
			t.Fatalf("%v, error %v", isNew, err)
		}
	}
	expect(t, store, id, countersign.Accepted)
	if isNew, err := store.Remember(context.Background(), id, time.Hour, write); err != nil || isNew || acted != 1 {
		t.Fatalf("%v, error %v, acted %d times", isNew, err, acted)
	}
}

func concurrentRecords(t *testing.T, store countersign.Store, _ *Clock) {
	oneOfMany(t, func(act func(context.Context) error) bool {
		isNew, _ := store.Remember(context.Background(), id, time.Hour, act)
		return isNew
	})
}

func expiry(t *testing.T, store countersign.Store, clock *Clock) {
	remember(t, store, id)
	clock.Advance(time.Hour - time.Second)
	expect(t, store, id, countersign.Accepted)
	clock.Advance(time.Second)
	expect(t, store, id, countersign.Unknown)
	remember(t, store, id)
	expect(t, store, id, countersign.Accepted)
}

func others(t *testing.T, store countersign.Store, _ *Clock) {
	remember(t, store, id)
	remember(t, store, "webhook:"+id)
	expect(t, store, "webhook:"+id, countersign.Accepted)
	expect(t, store, "cfm_", countersign.Unknown)
	expect(t, store, id, countersign.Accepted)
}

func concurrent(t *testing.T, store countersign.Store, _ *Clock) {
	remember(t, store, id)
	oneOfMany(t, func(act func(context.Context) error) bool {
		outcome, _ := store.Accept(context.Background(), id, act)
		return outcome == countersign.Accepted
	})
	expect(t, store, id, countersign.Repeated)
}

// oneOfMany makes concurrent calls, of which exactly one must act and exactly one must succeed.
func oneOfMany(t *testing.T, call func(act func(context.Context) error) bool) {
	t.Helper()
	var acted, succeeded atomic.Int32
	var group sync.WaitGroup
	for range 16 {
		group.Add(1)
		go func() {
			defer group.Done()
			if call(func(context.Context) error { acted.Add(1); return nil }) {
				succeeded.Add(1)
			}
		}()
	}
	group.Wait()
	if acted.Load() != 1 || succeeded.Load() != 1 {
		t.Fatalf("acted %d times, succeeded %d times", acted.Load(), succeeded.Load())
	}
}

func afterPanic(t *testing.T, store countersign.Store, _ *Clock) {
	remember(t, store, id)
	func() {
		defer func() { recover() }()
		store.Accept(context.Background(), id, func(context.Context) error { panic("no") })
	}()
	expect(t, store, id, countersign.Accepted)
}
