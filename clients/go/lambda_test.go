package countersign

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

func TestLambdaKeepsCookiesApart(t *testing.T) {
	handle := LambdaHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		http.SetCookie(w, &http.Cookie{Name: "b", Value: "2"})
		w.WriteHeader(http.StatusCreated)
	}))
	both := []string{"a=1", "b=2"}
	answer, err := handle(ctx, json.RawMessage(`{"requestContext":{"http":{"method":"POST"}}}`))
	if err != nil || answer.StatusCode != 201 || !slices.Equal(answer.Cookies, both) || answer.Headers["Set-Cookie"] != "" {
		t.Errorf("HTTP API: %+v, %v", answer, err)
	}
	answer, err = handle(ctx, json.RawMessage(`{"httpMethod":"POST","multiValueHeaders":{}}`))
	if err != nil || !slices.Equal(answer.MultiValueHeaders["Set-Cookie"], both) || answer.Cookies != nil {
		t.Errorf("REST API: %+v, %v", answer, err)
	}
	for _, event := range []string{`7`, `{"body":"*","isBase64Encoded":true}`} {
		if _, err := handle(ctx, json.RawMessage(event)); err == nil {
			t.Errorf("%s was handled", event)
		}
	}
}
