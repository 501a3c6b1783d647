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
	"strconv"
	"time"
)

const (
	tryTimeout = 10 * time.Second
	// maxAnswer bounds what is read of an answer, in bytes. A page of 100 confirmations has about 1.5 MB.
	maxAnswer = 8 << 20
)

// request is a call of the API.
type request struct {
	method string
	path   string
	query  url.Values
	header http.Header
	body   []byte
	// once marks a request that must not be carried out twice.
	once bool
}

// failure is why a try has failed, and what a decision to try again needs to know.
type failure struct {
	err        error
	status     int // 0 if there was no answer
	network    bool
	unsent     bool // no connection was made, so nothing was sent
	retryAfter time.Duration
}

// do sends a request, again if that may help, and decodes the answer's body.
func (c *Client) do(ctx context.Context, r request, answer any) error {
	for tries := 1; ; tries++ {
		failed := c.try(ctx, r, answer)
		if failed == nil {
			return nil
		}
		wait, again := c.backoff(r, failed, tries)
		if !again || ctx.Err() != nil {
			return failed.err
		}
		if err := c.world.sleep(ctx, wait); err != nil {
			return fmt.Errorf("%w; ended while waiting to try again: %w", failed.err, err)
		}
	}
}

func (c *Client) try(ctx context.Context, r request, answer any) *failure {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	address := c.baseURL + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	call, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return &failure{err: noAnswer(err)}
	}
	for name := range r.header {
		call.Header.Set(name, r.header.Get(name))
	}
	if c.apiKey != "" {
		call.Header.Set("X-Api-Key", c.apiKey)
	}
	call.Header.Set("User-Agent", userAgent)
	if r.body != nil {
		call.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(call)
	if err != nil {
		return &failure{err: noAnswer(err), network: true, unsent: isDial(err)}
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return &failure{err: noAnswer(err), network: true}
	}
	if len(text) > maxAnswer {
		return &failure{err: noAnswer(errors.New("the answer is too long"))}
	}
	return c.read(response, text, answer)
}

// read decodes an answer, and learns the time from it.
func (c *Client) read(response *http.Response, text []byte, answer any) *failure {
	status := response.StatusCode
	if status == http.StatusNoContent {
		c.clock.learn(time.Time{}, response.Header)
		return nil
	}
	wait := retryAfter(response.Header)
	// The error of a decoder quotes its text, which may hold a code, so none is kept.
	foreign := func(what string) *failure {
		err := &ConnectionError{fmt.Errorf("%s (status %d)", what, status), status, wait}
		return &failure{err: err, status: status, retryAfter: wait}
	}
	if status >= 300 && status < 400 {
		return foreign("redirects are refused")
	}
	var dated struct{ ServerTime time.Time }
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) || json.Unmarshal(text, &dated) != nil {
		return foreign("not the JSON of the service")
	}
	c.clock.learn(dated.ServerTime, response.Header)
	if status < 300 {
		if answer != nil && json.Unmarshal(text, answer) != nil {
			return foreign("not the JSON of the service")
		}
		return nil
	}
	problem := &ProblemError{}
	if json.Unmarshal(text, problem) != nil {
		return foreign("not a problem of the service")
	}
	problem.Status, problem.RetryAfter = status, wait
	if problem.Code == "" {
		problem.Code = fmt.Sprintf("http_%d", status)
	}
	return &failure{err: problem, status: status, retryAfter: wait}
}

// noAnswer drops the URL, which can name a user, from an error of net/http.
func noAnswer(err error) *ConnectionError {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return &ConnectionError{Err: err}
}

func isDial(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// retryAfter returns the header Retry-After, which counts seconds or names a date. Zero if there is none.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	now, dateErr := http.ParseTime(header.Get("Date"))
	if err != nil || dateErr != nil {
		return 0
	}
	return max(0, until.Sub(now))
}

// body encodes a request's body, with the members that its type does not have.
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
