package countersign

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// LambdaResponse is an AWS Lambda answer for a REST API, an HTTP API, a function URL or a load balancer.
type LambdaResponse struct {
	StatusCode int               `json:"statusCode"`
	Headers    map[string]string `json:"headers"`
	// MultiValueHeaders is set if the event has them: a load balancer that sends lists reads only lists.
	MultiValueHeaders map[string][]string `json:"multiValueHeaders,omitempty"`
	// Cookies is set if the event comes from an HTTP API or a function URL.
	Cookies []string `json:"cookies,omitempty"`
	Body    string   `json:"body"`
}

// lambdaEvent contains the relevant members of all these kinds of events.
type lambdaEvent struct {
	HTTPMethod     string
	Path, RawPath  string
	RequestContext struct {
		HTTP *struct{ Method string }
	}
	Headers           map[string]string
	MultiValueHeaders map[string][]string
	Body              string
	IsBase64Encoded   bool
}

// LambdaHandler adapts a handler of this package to AWS Lambda:
//
//	lambda.Start(countersign.LambdaHandler(client.WebhookHandler(options)))
func LambdaHandler(handler http.Handler) func(context.Context, json.RawMessage) (LambdaResponse, error) {
	return func(ctx context.Context, text json.RawMessage) (LambdaResponse, error) {
		var event lambdaEvent
		if err := json.Unmarshal(text, &event); err != nil {
			return LambdaResponse{}, fmt.Errorf("countersign: not an event of HTTP: %w", err)
		}
		request, err := event.request(ctx)
		if err != nil {
			return LambdaResponse{}, fmt.Errorf("countersign: %w", err)
		}
		answer := &heldResponse{header: make(http.Header)}
		handler.ServeHTTP(answer, request)
		return event.response(answer), nil
	}
}

func (e lambdaEvent) request(ctx context.Context) (*http.Request, error) {
	body := []byte(e.Body)
	if e.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(e.Body)
		if err != nil {
			return nil, err
		}
		body = decoded
	}
	method := e.HTTPMethod
	if method == "" && e.RequestContext.HTTP != nil {
		method = e.RequestContext.HTTP.Method
	}
	header := make(http.Header)
	// The lists contain all values, whereas the single values contain only the last ones.
	for name, values := range e.MultiValueHeaders {
		header[http.CanonicalHeaderKey(name)] = values
	}
	if e.MultiValueHeaders == nil {
		for name, value := range e.Headers {
			header.Add(name, value)
		}
	}
	request := &http.Request{
		Method: method, URL: &url.URL{Path: e.Path + e.RawPath}, Header: header, Host: header.Get("Host"),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: readCloser{bytes.NewReader(body)}, ContentLength: int64(len(body)),
	}
	// The event's own header, so that a lost body is noticed.
	if length := header.Get("Content-Length"); len(body) == 0 && length != "" && length != "0" {
		request.ContentLength = 1
	}
	return request.WithContext(ctx), nil
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

func (e lambdaEvent) response(answer *heldResponse) LambdaResponse {
	headers := make(map[string]string)
	for name, values := range answer.header {
		headers[name] = strings.Join(values, ", ")
	}
	response := LambdaResponse{StatusCode: max(answer.status, http.StatusOK), Headers: headers, Body: answer.body.String()}
	if e.MultiValueHeaders != nil {
		response.MultiValueHeaders = answer.header
	}
	// Cookies cannot be joined, because they may contain commas.
	if cookies := answer.header["Set-Cookie"]; e.RequestContext.HTTP != nil && len(cookies) > 0 {
		response.Cookies = cookies
		delete(headers, "Set-Cookie")
	}
	return response
}
