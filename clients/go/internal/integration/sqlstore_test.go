package integration

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	countersign "github.com/countersign/countersign/clients/go"
	"github.com/countersign/countersign/clients/go/examples/sqlstore"
	"github.com/countersign/countersign/clients/go/internal/storetest"
)

func openDatabase(t *testing.T) *sql.DB {
	t.Helper()
	file := filepath.Join(t.TempDir(), "store.db")
	db, err := sql.Open("sqlite", file+"?_txlock=immediate&_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(sqlstore.Schema); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestSQLStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T, clock *storetest.Clock) countersign.Store {
		start := time.Now().Truncate(time.Second)
		return &sqlstore.Store{DB: openDatabase(t), Now: func() time.Time { return start.Add(clock.Now()) }}
	})
}

func TestRecordAndEffectsAreCommittedWithTheID(t *testing.T) {
	db := openDatabase(t)
	store := &sqlstore.Store{DB: db, Now: time.Now}
	if _, err := db.Exec("CREATE TABLE numbers (number TEXT)"); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("after the effect")
	save := func(result error) func(context.Context) error {
		return func(ctx context.Context) error {
			if _, err := sqlstore.Tx(ctx).ExecContext(ctx, "INSERT INTO numbers VALUES ('x')"); err != nil {
				return err
			}
			return result
		}
	}
	if _, err := store.Remember(ctx, "id", time.Hour, save(failure)); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	expectNumbers(t, db, 0)
	if isNew, err := store.Remember(ctx, "id", time.Hour, save(nil)); err != nil || !isNew {
		t.Fatal(isNew, err)
	}
	expectNumbers(t, db, 1)
	if _, err := store.Accept(ctx, "id", save(failure)); !errors.Is(err, failure) {
		t.Fatal(err)
	}
	expectNumbers(t, db, 1)
	if outcome, err := store.Accept(ctx, "id", save(nil)); err != nil || outcome != countersign.Accepted {
		t.Fatal(outcome, err)
	}
	expectNumbers(t, db, 2)
}

func expectNumbers(t *testing.T, db *sql.DB, expected int) {
	t.Helper()
	var count int
	if err := db.QueryRow("SELECT count(*) FROM numbers").Scan(&count); err != nil || count != expected {
		t.Errorf("%d numbers, %v", count, err)
	}
}
