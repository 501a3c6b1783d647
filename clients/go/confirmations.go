package countersign

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// ConfirmationService starts and manages confirmations of phone numbers.
type ConfirmationService struct{ client *Client }

// Acquire starts a confirmation of a number that you do not know yet: the first text with the code completes it, and
// the webhook contains the sender's number. Use [WithOnStarted] to store the answer's ConfirmationID together with
// the user it is for. Keep ConfirmationMessage and the links out of logs: whoever sends that text is confirmed.
//
// The answer contains a Client if the request has ClientChannel. The client's [Store] records the id. If that fails,
// Acquire returns the store's error.
func (s *ConfirmationService) Acquire(
	ctx context.Context, request AcquireRequest, options ...RequestOption,
) (*ConfirmationSession, error) {
	return s.start(ctx, "/acquire-phone-number", request, request.ClientChannel, options)
}

// Confirm starts a confirmation of a number that you know: only a text from that number completes it. Store and
// compare the answer's PhoneNumber: it is in E.164, as in the webhook. Otherwise, it works like
// [ConfirmationService.Acquire].
func (s *ConfirmationService) Confirm(
	ctx context.Context, request ConfirmRequest, options ...RequestOption,
) (*ConfirmationSession, error) {
	return s.start(ctx, "/make-confirmation", request, request.ClientChannel, options)
}

func (s *ConfirmationService) start(
	ctx context.Context, path string, content any, wantsClient bool, options []RequestOption,
) (*ConfirmationSession, error) {
	settings := s.client.apply(options)
	if settings.err != nil {
		return nil, settings.err
	}
	text, err := body(content, settings.fields)
	if err != nil {
		return nil, fmt.Errorf("countersign: %w", err)
	}
	key := settings.idempotencyKey
	if key == "" {
		key = s.client.world.newID()
	}
	started := &ConfirmationSession{}
	err = s.client.do(ctx, request{
		method: http.MethodPost,
		path:   path,
		header: http.Header{"Idempotency-Key": {key}},
		body:   text,
		limits: settings.limits,
	}, started)
	if err != nil {
		return nil, err
	}
	if started.ConfirmationID == "" {
		return nil, s.client.lacking("confirmationId")
	}
	if wantsClient && started.Client.Token == "" {
		return nil, s.client.lacking("client")
	}
	act := noAct
	if settings.onStarted != nil {
		act = func(ctx context.Context) error { return settings.onStarted(ctx, started) }
	}
	// Before the user sees the code, so that the webhook cannot arrive earlier.
	if err := s.client.rememberOnce(ctx, started.ConfirmationID, webhookTTL, act); err != nil {
		return nil, err
	}
	return started, nil
}

// Get returns a confirmation of your app.
func (s *ConfirmationService) Get(
	ctx context.Context, id string, options ...RequestOption,
) (*Confirmation, error) {
	return s.call(ctx, request{method: http.MethodGet, path: confirmationPath(id)}, options)
}

// Cancel ends an open confirmation. If a text completed it first, the error is a [ProblemError] with the code
// confirmation_verified, and the webhook is on its way.
func (s *ConfirmationService) Cancel(
	ctx context.Context, id string, options ...RequestOption,
) (*Confirmation, error) {
	return s.call(ctx, request{method: http.MethodDelete, path: confirmationPath(id)}, options)
}

// Redact erases the numbers and the metadata of a confirmation that has ended.
func (s *ConfirmationService) Redact(
	ctx context.Context, id string, options ...RequestOption,
) (*Confirmation, error) {
	return s.call(ctx, request{method: http.MethodPost, path: confirmationPath(id) + "/redact"}, options)
}

// Redeliver sends the webhook of a verified confirmation again. Since a repetition would send it twice, the
// request is retried only if the service did not receive it or refused it with 429.
func (s *ConfirmationService) Redeliver(
	ctx context.Context, id string, options ...RequestOption,
) (*Confirmation, error) {
	return s.call(ctx, request{method: http.MethodPost, path: confirmationPath(id) + "/redeliver", once: true}, options)
}

func (s *ConfirmationService) call(
	ctx context.Context, r request, options []RequestOption,
) (*Confirmation, error) {
	r.limits = s.client.apply(options).limits
	confirmation := &Confirmation{}
	if err := s.client.do(ctx, r, confirmation); err != nil {
		return nil, err
	}
	return confirmation, nil
}

func confirmationPath(id string) string { return "/confirmations/" + url.PathEscape(id) }

// ListOptions filters confirmations. Zero values match all of them.
type ListOptions struct {
	Status ConfirmationStatus
	// LastDigits are the last two to six digits of the number.
	LastDigits    string
	CreatedFrom   time.Time
	CreatedBefore time.Time
	// Limit is the page size, from 1 to 100. The default is 20.
	Limit int
	// Cursor is the position after a page that you fetched yourself: that page's nextCursor.
	Cursor string
}

func (o ListOptions) query() url.Values {
	query := listQuery(o.CreatedFrom, o.CreatedBefore, o.Limit, o.Cursor)
	setGiven(query, "status", string(o.Status))
	setGiven(query, "lastDigits", o.LastDigits)
	return query
}

// List iterates over your app's confirmations, and fetches the pages one by one as needed. It ends after the
// first error.
//
//	for confirmation, err := range client.Confirmations.List(ctx, countersign.ListOptions{}) {
//		if err != nil {
//			return err
//		}
//		…
//	}
func (s *ConfirmationService) List(
	ctx context.Context, query ListOptions, options ...RequestOption,
) iter.Seq2[*Confirmation, error] {
	return allPages(func(cursor string) ([]Confirmation, string, error) {
		query.Cursor = cmp.Or(cursor, query.Cursor)
		page, err := s.Page(ctx, query, options...)
		if err != nil {
			return nil, "", err
		}
		return page.Confirmations, page.NextCursor, nil
	})
}

// Page returns one page of your app's confirmations; its NextCursor is the position of the next page. It is
// empty after the last page.
func (s *ConfirmationService) Page(
	ctx context.Context, query ListOptions, options ...RequestOption,
) (*ConfirmationPage, error) {
	page := &ConfirmationPage{}
	r := request{
		method: http.MethodGet, path: "/confirmations", query: query.query(), limits: s.client.apply(options).limits,
	}
	if err := s.client.do(ctx, r, page); err != nil {
		return nil, err
	}
	if page.Confirmations == nil {
		return nil, s.client.lacking("confirmations")
	}
	return page, nil
}
