package countersign_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/internal/storetest"
)

func TestMemoryStore(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock *storetest.Clock) countersign.Store {
		return countersign.NewMemoryStoreAt(clock.Now)
	})
}

func TestWaitingForAnotherActEndsWithTheContext(t *testing.T) {
	store := countersign.NewMemoryStore()
	if _, err := store.Remember(context.Background(), "id", time.Hour, nothing); err != nil {
		t.Fatal(err)
	}
	acting, finish, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		store.Accept(context.Background(), "id", func(context.Context) error {
			close(acting)
			<-finish
			return nil
		})
	}()
	<-acting
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := store.Accept(ctx, "id", func(context.Context) error { t.Error("acted"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(finish)
	<-done
}

func TestMemoryStoreForgetsWhatIsOver(t *testing.T) {
	clock := &storetest.Clock{}
	store := countersign.NewMemoryStoreAt(clock.Now)
	for i := range 1000 {
		store.Remember(context.Background(), fmt.Sprint(i), time.Minute, nothing)
	}
	clock.Advance(time.Minute)
	store.Remember(context.Background(), "last", time.Minute, nothing)
	if held := store.Len(); held != 1 {
		t.Errorf("%d ids are held", held)
	}
}

func nothing(context.Context) error { return nil }
