package countersign

import (
	"iter"
	"net/url"
	"strconv"
	"time"
)

// listQuery returns the parameters that all lists have in common, without those that are not set.
func listQuery(from, before time.Time, limit int, cursor string) url.Values {
	query := make(url.Values)
	setGiven(query, "createdFrom", timestamp(from))
	setGiven(query, "createdBefore", timestamp(before))
	if limit != 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	setGiven(query, "cursor", cursor)
	return query
}

func setGiven(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// allPages iterates over the items of a list. fetch returns a page and the cursor of the next one, which is empty
// after the last page; for the first page, it gets an empty cursor.
func allPages[T any](fetch func(cursor string) ([]T, string, error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for cursor := ""; ; {
			items, next, err := fetch(cursor)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range items {
				if !yield(&items[i], nil) {
					return
				}
			}
			if next == "" {
				return
			}
			cursor = next
		}
	}
}
