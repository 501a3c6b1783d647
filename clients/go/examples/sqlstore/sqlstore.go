// Package sqlstore is a countersign.Store that uses an SQL database, for PostgreSQL and SQLite. Copy it into
// your service.
package sqlstore

import (
	"context"
	"database/sql"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

// Schema creates the table. Once a day, delete rows whose expires_at has passed.
const Schema = `CREATE TABLE IF NOT EXISTS countersign_ids (
	id TEXT PRIMARY KEY, accepted BOOLEAN NOT NULL DEFAULT FALSE, expires_at BIGINT NOT NULL)`

// Store is a countersign.Store. Now is time.Now, except in tests.
type Store struct {
	DB  *sql.DB
	Now func() time.Time
}

// Remember stores the id as pending and runs act in one transaction, unless the id is known. Tx returns the
// transaction to act.
func (s *Store) Remember(
	ctx context.Context, id string, ttl time.Duration, act func(context.Context) error,
) (bool, error) {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // does nothing after a commit
	now := s.Now()
	result, err := tx.ExecContext(ctx, `INSERT INTO countersign_ids (id, expires_at) VALUES ($1, $2)
		ON CONFLICT (id) DO UPDATE SET accepted = FALSE, expires_at = $2 WHERE countersign_ids.expires_at <= $3`,
		id, now.Add(ttl).Unix(), now.Unix())
	if err != nil {
		return false, err
	}
	if inserted, err := result.RowsAffected(); err != nil || inserted == 0 {
		return false, err
	}
	if err := act(context.WithValue(ctx, txKey{}, tx)); err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// Accept marks the id as accepted and runs act in one transaction. Tx returns the transaction to act. The row
// stays locked until the transaction ends, so a second request for the same id waits.
func (s *Store) Accept(
	ctx context.Context, id string, act func(context.Context) error,
) (countersign.Outcome, error) {
	tx, err := s.DB.BeginTx(ctx, nil)
	if err != nil {
		return countersign.Unknown, err
	}
	defer tx.Rollback() // does nothing after a commit
	now := s.Now().Unix()
	result, err := tx.ExecContext(ctx, `UPDATE countersign_ids SET accepted = TRUE
		WHERE id = $1 AND NOT accepted AND expires_at > $2`, id, now)
	if err != nil {
		return countersign.Unknown, err
	}
	if marked, err := result.RowsAffected(); err != nil {
		return countersign.Unknown, err
	} else if marked == 1 {
		if err := act(context.WithValue(ctx, txKey{}, tx)); err != nil {
			return countersign.Unknown, err
		}
		return countersign.Accepted, tx.Commit()
	}
	var known int
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM countersign_ids
		WHERE id = $1 AND expires_at > $2`, id, now).Scan(&known)
	if err != nil || known == 0 {
		return countersign.Unknown, err
	}
	return countersign.Repeated, nil
}

type txKey struct{}

// Tx returns the transaction of the running act. Make all changes of act in it.
func Tx(ctx context.Context) *sql.Tx {
	tx, _ := ctx.Value(txKey{}).(*sql.Tx)
	return tx
}
