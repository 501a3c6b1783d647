package countersign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	// tryTimeout limits every attempt except the last one, which may use all the remaining time.
	tryTimeout = 10 * time.Second
	// maxAnswer is the maximum number of bytes that are read of an answer. A page of 100 confirmations has about
	// 1.5 MB.
	maxAnswer = 8 << 20
)

// request is an API call.
type request struct {
	method string
	path   string
	query  url.Values
	header http.Header
	body   []byte
	// once marks a request that must not be executed twice.
	once bool
	// mayBeEmpty says that 204 is a valid answer.
	mayBeEmpty bool
	// mayBeScalar says that the answer may be true instead of an object.
	mayBeScalar bool
	// withoutKey omits the API key: another token identifies the caller.
	withoutKey bool
	limits     limits
}

// failure contains the reason why an attempt failed, and what is needed to decide about a retry.
type failure struct {
	err        error
	status     int // 0 if there was no answer
	network    bool
	unsent     bool // no connection was made, so nothing was sent
	retryAfter time.Duration
}

// do sends a request, retries it if that may help, and decodes the answer's body.
func (c *Client) do(ctx context.Context, r request, answer any) error {
	if err := r.limits.check(); err != nil {
		return err
	}
	// Ids come from outside, and must not change the path.
	if segments := strings.Split(r.path, "/")[1:]; slices.ContainsFunc(segments, isNoID) {
		return errors.New("countersign: the id is empty, or no id")
	}
	end := c.world.monotonic() + r.limits.total
	for tries := 1; ; tries++ {
		isLast := tries > r.limits.maxRetries
		timeout := end - c.world.monotonic()
		if !isLast {
			timeout = min(timeout, tryTimeout)
		}
		failed := c.try(ctx, r, timeout, answer)
		if failed == nil {
			return nil
		}
		wait := c.backoff(failed, tries)
		if isLast || wait >= end-c.world.monotonic() || !mayRepeat(r, failed) || ctx.Err() != nil {
			return failed.err
		}
		if err := c.world.sleep(ctx, wait); err != nil {
			return fmt.Errorf("%w; ended while waiting to try again: %w", failed.err, err)
		}
	}
}

func isNoID(segment string) bool { return segment == "" || segment == "." || segment == ".." }

func (c *Client) try(ctx context.Context, r request, timeout time.Duration, answer any) *failure {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := c.baseURL + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	call, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return &failure{err: c.noAnswer(err)}
	}
	for name := range r.header {
		call.Header.Set(name, r.header.Get(name))
	}
	if !r.withoutKey {
		call.Header.Set("X-Api-Key", c.apiKey)
	}
	call.Header.Set("User-Agent", userAgent)
	if r.body != nil {
		call.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(call)
	if err != nil {
		return &failure{err: c.noAnswer(err), network: true, unsent: isDial(err)}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return &failure{err: c.noAnswer(err), network: true}
	}
	if len(text) > maxAnswer {
		return &failure{err: c.noAnswer(errors.New("the answer is too long"))}
	}
	return c.read(r, response, text, answer)
}

// read decodes an answer, and learns the time from it.
func (c *Client) read(r request, response *http.Response, text []byte, answer any) *failure {
	status := response.StatusCode
	if status == http.StatusNoContent && r.mayBeEmpty {
		c.clock.learn(time.Time{}, response.Header)
		return nil
	}
	serverTime, isObject := decodeTime(text)
	c.clock.learn(serverTime, response.Header)
	wait := retryAfter(response.Header, c.clock.time())
	// A decoder's error quotes the text, which may contain a code, so it is dropped.
	foreign := func(what string) *failure {
		err := &ConnectionError{fmt.Errorf("%s (status %d)", what, status), status, wait, c.origin()}
		return &failure{err: err, status: status, retryAfter: wait}
	}
	if status >= 300 && status < 400 {
		return foreign("redirects are refused")
	}
	if !isObject && !(r.mayBeScalar && status < 300) {
		return foreign("not the JSON of the service")
	}
	if status < 300 {
		if answer != nil && json.Unmarshal(text, answer) != nil {
			return foreign("not the JSON of the service")
		}
		return nil
	}
	problem := decodeProblem(text)
	problem.Status, problem.RetryAfter = status, wait
	if problem.Code == "" {
		problem.Code = fmt.Sprintf("http_%d", status)
	}
	return &failure{err: problem, status: status, retryAfter: wait}
}

// decodeTime returns the service's time if the answer contains it, and whether the answer is an object.
func decodeTime(text []byte) (time.Time, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return time.Time{}, false
	}
	var serverTime time.Time
	if json.Unmarshal(members["serverTime"], &serverTime) != nil {
		return time.Time{}, true
	}
	return serverTime, true
}

// decodeProblem reads the members of a problem that have the right type.
func decodeProblem(text []byte) *ProblemError {
	var members map[string]any
	_ = json.Unmarshal(text, &members) // It was an object before.
	member := func(name string) string { value, _ := members[name].(string); return value }
	return &ProblemError{
		Code: member("code"), Title: member("title"), Detail: member("detail"), Field: member("field"),
		RequestID: member("requestId"),
	}
}

// noAnswer names the service instead of the URL in an error of net/http, which can contain a user id.
func (c *Client) noAnswer(err error) *ConnectionError {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return &ConnectionError{Err: err, Address: c.origin()}
}

// lacking is the error for an answer without a member that every answer of the service has.
func (c *Client) lacking(member string) error {
	return c.unexpected("the answer has no " + member)
}

// unexpected is the error for an answer that is not the service's, or not for this request.
func (c *Client) unexpected(text string) error {
	return &ConnectionError{Err: errors.New(text), Status: http.StatusOK, Address: c.origin()}
}

// origin returns the service's address without its path.
func (c *Client) origin() string {
	parsed, err := url.Parse(c.baseURL)
	if err != nil { // Not after checkURL.
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

func isDial(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// body encodes a request's body, including members that its type does not have.
func body(request any, fields map[string]any) ([]byte, error) {
	text, err := json.Marshal(request)
	if err != nil || len(fields) == 0 {
		return text, err
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	for name, value := range fields {
		members[name] = value
	}
	return json.Marshal(members)
}
