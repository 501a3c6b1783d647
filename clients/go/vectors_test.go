package countersign

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// vectors describe behavior that the libraries of all languages share: clients/vectors.json.
type vectors struct {
	At      int64
	Date    string
	Options []struct {
		Name   string
		Set    map[string]any
		OK     bool
		Absent []string
	}
	URLs []struct {
		URL                         string
		Becomes, BecomesUnencrypted *string
	}
	Mounts []struct {
		Name, Handler string
		Client, Set   map[string]any
		OK            bool
		Absent        []string
	}
	Answers []struct {
		Name, Call string
		Options    struct {
			Timeout    float64
			MaxRetries *int
		}
		Answers  []json.RawMessage
		Requests int
		Waits    []float64
		Error    *vectorError
		OK       map[string]any
	}
	Webhooks []struct {
		Name                           string
		Secrets                        []string
		Headers                        [][2]string
		Body                           string
		Reason                         Reason
		ConfirmationID, RegistrationID string
	}
	KeySets struct {
		Body      string
		Sequences []struct {
			Name  string
			Steps []struct {
				Advance float64
				JWKS    json.RawMessage
				Headers [][2]string
				Expect  string
				Fetches *int
			}
		}
	}
	Clocks []struct {
		Name    string
		Headers [][2]string
		Body    json.RawMessage
		Time    *int64
	}
	Lambda struct {
		Secret, ConfirmationID string
		Events                 []struct {
			Name              string
			Event             json.RawMessage
			Status            int
			Text              string
			MultiValueHeaders bool
		}
	}
}

type vectorError struct {
	Type                            string
	Status                          int
	Code                            ProblemCode
	RetryAfter                      int
	Title, Detail, Field, RequestID string
}

func loadVectors(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile("../vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// vectorConfig returns a configuration, and whether Go has a value for each member.
func vectorConfig(set map[string]any, absent []string) (Config, []Option, bool) {
	config := Config{URL: "https://countersign.example", APIKey: testAPIKey}
	var options []Option
	for name, value := range set {
		text, _ := value.(string)
		number, _ := value.(float64)
		switch {
		case name == "apiKey":
			config.APIKey = text // nil is empty
		case name == "url":
			config.URL = text
		case value == nil || slices.Contains(absent, "go"):
			return config, nil, false
		case name == "appKey":
			config.AppKey = text
		case name == "webhookKeys":
			config.WebhookKeys = KeySource(text)
		case name == "webhookSecret":
			config.WebhookSecrets = []string{text}
			if list, isList := value.([]any); isList {
				config.WebhookSecrets = []string{}
				for _, one := range list {
					text, _ := one.(string) // nil is empty
					config.WebhookSecrets = append(config.WebhookSecrets, text)
				}
			}
		case name == "keyRefetchSeconds":
			options = append(options, WithKeyRefetch(time.Duration(number*float64(time.Second))))
		case name == "timeout":
			options = append(options, WithTimeout(time.Duration(number*float64(time.Second))))
		case name == "maxRetries":
			options = append(options, WithMaxRetries(int(number)))
		default:
			panic("unknown option in the vectors: " + name)
		}
	}
	return config, options, true
}

func TestVectorsOfOptions(t *testing.T) {
	for _, v := range loadVectors(t).Options {
		config, options, fits := vectorConfig(v.Set, v.Absent)
		if !fits {
			continue
		}
		_, err := New(config, options...)
		if (err == nil) != v.OK {
			t.Errorf("%s: %v", v.Name, err)
		}
		for _, value := range v.Set {
			if text, _ := value.(string); err != nil && len(text) > 9 && strings.Contains(err.Error(), strings.TrimSpace(text)) {
				t.Errorf("%s is quoted: %v", v.Name, err)
			}
		}
	}
}

func TestVectorsOfURLs(t *testing.T) {
	for _, v := range loadVectors(t).URLs {
		for unencrypted, becomes := range map[bool]*string{false: v.Becomes, true: v.BecomesUnencrypted} {
			found, err := checkURL(v.URL, unencrypted)
			if (err == nil) != (becomes != nil) || becomes != nil && found != *becomes {
				t.Errorf("%q became %q, %v", v.URL, found, err)
			}
		}
	}
}

func TestVectorsOfMounts(t *testing.T) {
	for _, v := range loadVectors(t).Mounts {
		config, _, fits := vectorConfig(v.Client, v.Absent)
		if !fits || slices.Contains(v.Absent, "go") {
			continue
		}
		client, err := New(config)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if panicked := recover(); (panicked == nil) != v.OK {
					t.Errorf("%s: %v", v.Name, panicked)
				}
			}()
			mountVector(client, v.Handler, v.Set)
		}()
	}
}

func mountVector(client *Client, handler string, set map[string]any) {
	given := func(name string, byDefault bool) bool {
		value, isSet := set[name]
		return isSet && value == "callback" || !isSet && byDefault
	}
	if handler == "webhook" {
		var options WebhookOptions
		if given("onVerified", true) {
			options.OnVerified = func(context.Context, *WebhookBody) error { return nil }
		}
		if given("onLogin", false) {
			options.OnLogin = func(context.Context, *LoginWebhookBody) error { return nil }
		}
		if given("onPhoneRegistered", false) {
			options.OnPhoneRegistered = func(context.Context, *PhoneRegisteredWebhookBody) error { return nil }
		}
		client.WebhookHandler(options)
		return
	}
	options := LoginOptions{Origin: "https://shop.example"}
	if origin, isSet := set["origin"]; isSet {
		options.Origin, _ = origin.(string)
	}
	if given("findKey", true) {
		options.FindKey = func(context.Context, string) (*RegisteredKey, error) { return nil, nil }
	}
	if given("onLogin", true) {
		options.OnLogin = func(http.ResponseWriter, *http.Request, Login) error { return nil }
	}
	client.LoginHandler(options)
}

// vectorAnswer writes an answer from the vectors.
func vectorAnswer(w http.ResponseWriter, raw json.RawMessage) {
	var answer struct {
		Status  int
		Headers [][2]string
		Body    json.RawMessage
		Text    *string
	}
	if string(raw) == `"drop"` {
		panic(http.ErrAbortHandler)
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		panic(err)
	}
	w.Header()["Date"] = nil
	for _, pair := range answer.Headers {
		w.Header().Set(pair[0], pair[1])
	}
	w.WriteHeader(answer.Status)
	if answer.Text != nil {
		io.WriteString(w, *answer.Text)
	} else if answer.Status != http.StatusNoContent {
		w.Write(answer.Body)
	}
}

// callVector makes a call and returns the answer as JSON.
func callVector(client *Client, name string, options []RequestOption) (any, error) {
	switch name {
	case "acquire":
		return client.Confirmations.Acquire(ctx, AcquireRequest{}, options...)
	case "acquireWithClient":
		return client.Confirmations.Acquire(ctx, AcquireRequest{ClientChannel: true}, options...)
	case "confirm":
		return client.Confirmations.Confirm(ctx, ConfirmRequest{PhoneNumber: testNumber}, options...)
	case "get":
		return client.Confirmations.Get(ctx, testID, options...)
	case "redeliver":
		return client.Confirmations.Redeliver(ctx, testID, options...)
	case "page":
		return client.Confirmations.Page(ctx, ListOptions{}, options...)
	case "pageLogins":
		return client.Logins.Page(ctx, LoginListOptions{}, options...)
	case "createLogin":
		return client.Logins.Create(ctx, "token", CreateSessionRequest{Origin: "https://shop.example"}, options...)
	case "cancelLogin":
		return nil, client.Logins.Cancel(ctx, "qrs_1", options...)
	case "registerKey":
		return client.AssociationKeys.Register(ctx, RegisterAssociationKeyRequest{PublicUserID: "zoe"}, options...)
	case "listKeys":
		keys, err := client.AssociationKeys.List(ctx, "zoe", options...)
		return AssociationKeys{Keys: keys}, err
	case "revokeKey":
		return nil, client.AssociationKeys.Revoke(ctx, "k1", options...)
	case "createPhoneRegistration":
		registration := CreatePhoneRegistrationRequest{PublicUserID: "zoe"}
		return client.PhoneRegistrations.Create(ctx, registration, options...)
	case "getPhoneRegistration":
		return client.PhoneRegistrations.Get(ctx, "phr_1", options...)
	case "cancelPhoneRegistration":
		return nil, client.PhoneRegistrations.Cancel(ctx, "phr_1", options...)
	default:
		panic("unknown call in the vectors: " + name)
	}
}

func TestVectorsOfAnswers(t *testing.T) {
	for _, v := range loadVectors(t).Answers {
		for _, place := range []string{"client", "call"} {
			var limits []CallOption
			if v.Options.Timeout != 0 {
				limits = append(limits, WithTimeout(time.Duration(v.Options.Timeout*float64(time.Second))))
			}
			if v.Options.MaxRetries != nil {
				limits = append(limits, WithMaxRetries(*v.Options.MaxRetries))
			}
			var options []Option
			var callOptions []RequestOption
			for _, limit := range limits {
				if place == "client" {
					options = append(options, limit)
				} else {
					callOptions = append(callOptions, limit)
				}
			}
			s, world := newStub(t), &testWorld{}
			client := newTestClient(t, s, world, nil, options...)
			s.respond(func(w http.ResponseWriter, number int) { vectorAnswer(w, v.Answers[number-1]) })
			answer, err := callVector(client, v.Call, callOptions)
			what := v.Name + " by " + place
			if v.Error != nil {
				expectVectorError(t, what, err, *v.Error)
			} else if err != nil {
				t.Errorf("%s: %v", what, err)
			} else {
				expectMembers(t, what, answer, v.OK)
			}
			var waits []float64
			for _, wait := range world.sleeps {
				waits = append(waits, wait.Seconds())
			}
			if found := s.requests(); found != v.Requests || !slices.Equal(waits, v.Waits) {
				t.Errorf("%s: %d requests, waits %v", what, found, waits)
			}
		}
	}
}

// vectorID returns the id of a confirmation or a phone registration.
func vectorID(event Event) string {
	switch event := event.(type) {
	case *WebhookBody:
		return event.ConfirmationID
	case *PhoneRegisteredWebhookBody:
		return event.RegistrationID
	default:
		return ""
	}
}

func expectMembers(t *testing.T, what string, answer any, expected map[string]any) {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	_ = json.Unmarshal(text, &members)
	for name, value := range expected {
		if members[name] != value {
			t.Errorf("%s: %s is %v", what, name, members[name])
		}
	}
}

func expectVectorError(t *testing.T, what string, err error, expected vectorError) {
	t.Helper()
	found := vectorError{Type: "connection"}
	var problem *ProblemError
	var connection *ConnectionError
	switch {
	case errors.As(err, &problem):
		found = vectorError{
			Type: "problem", Status: problem.Status, Code: problem.Code, RetryAfter: int(problem.RetryAfter.Seconds()),
			Title: problem.Title, Detail: problem.Detail, Field: problem.Field, RequestID: problem.RequestID,
		}
		// The vectors specify these where they matter.
		if expected.RequestID == "" {
			found.Title, found.Detail, found.Field, found.RequestID = "", "", "", ""
		}
	case errors.As(err, &connection):
		found.Status, found.RetryAfter = connection.Status, int(connection.RetryAfter.Seconds())
	default:
		t.Errorf("%s: %v", what, err)
		return
	}
	if found != expected {
		t.Errorf("%s: %+v, expected %+v", what, found, expected)
	}
}

func headerOfPairs(pairs [][2]string) http.Header {
	header := http.Header{}
	for _, pair := range pairs {
		header[pair[0]] = append(header[pair[0]], pair[1])
	}
	return header
}

func TestVectorsOfWebhooks(t *testing.T) {
	all := loadVectors(t)
	for _, v := range all.Webhooks {
		s := newStub(t)
		s.now = func() time.Time { return time.Unix(all.At, 0) }
		client := newTestClient(t, s, &testWorld{}, func(c *Config) { c.WebhookSecrets = v.Secrets })
		event, err := client.Webhooks.Verify(ctx, []byte(v.Body), headerOfPairs(v.Headers))
		if v.Reason != "" {
			if !hasReason(err, v.Reason) {
				t.Errorf("%s: %v, expected %s", v.Name, err, v.Reason)
			}
		} else if id := vectorID(event); err != nil || id != v.ConfirmationID+v.RegistrationID {
			t.Errorf("%s: %v, %v", v.Name, event, err)
		}
	}
}

func TestVectorsOfPublishedKeys(t *testing.T) {
	all := loadVectors(t).KeySets
	for _, v := range all.Sequences {
		s, world := newStub(t), &testWorld{}
		client := newTestClient(t, s, world, nil)
		for number, step := range v.Steps {
			world.pass(time.Duration(step.Advance * float64(time.Second)))
			s.keys = func(w http.ResponseWriter) {
				if step.JWKS == nil {
					w.WriteHeader(http.StatusNotFound)
				} else {
					vectorAnswer(w, step.JWKS)
				}
			}
			outcome := "accepted"
			_, err := client.Webhooks.Verify(ctx, []byte(all.Body), headerOfPairs(step.Headers))
			var refused *WebhookVerificationError
			if errors.As(err, &refused) {
				outcome = string(refused.Reason)
			} else if isUnavailable(err) {
				outcome = "unavailable"
			} else if err != nil {
				t.Errorf("%s, step %d: %v", v.Name, number, err)
			}
			if outcome != step.Expect || step.Fetches != nil && s.fetches() != *step.Fetches {
				t.Errorf("%s, step %d: %s after %d fetches, %v", v.Name, number, outcome, s.fetches(), err)
			}
		}
	}
}

func TestVectorsOfClocks(t *testing.T) {
	for _, v := range loadVectors(t).Clocks {
		world := (&testWorld{wall: testTime.Add(time.Hour)}).world()
		c := &clock{now: world.now, monotonic: world.monotonic}
		header := http.Header{}
		for _, pair := range v.Headers {
			header.Add(pair[0], pair[1])
		}
		serverTime, _ := decodeTime(v.Body)
		c.learn(serverTime, header)
		if c.known() != (v.Time != nil) || v.Time != nil && c.time().Unix() != *v.Time {
			t.Errorf("%s: %v, %v", v.Name, c.known(), c.time())
		}
	}
}

func TestVectorsOfLambda(t *testing.T) {
	all := loadVectors(t)
	for _, v := range all.Lambda.Events {
		s := newStub(t)
		s.now = func() time.Time { return time.Unix(all.At, 0) }
		client := newTestClient(t, s, &testWorld{}, func(c *Config) {
			c.WebhookSecrets = []string{all.Lambda.Secret}
		}, WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
		client.store.Remember(ctx, all.Lambda.ConfirmationID, time.Hour, noAct)
		handle := LambdaHandler(client.WebhookHandler(WebhookOptions{
			OnVerified: func(context.Context, *WebhookBody) error { return nil },
		}))
		answer, err := handle(ctx, v.Event)
		if err != nil || answer.StatusCode != v.Status || answer.Body != v.Text {
			t.Errorf("%s: %+v, %v", v.Name, answer, err)
		}
		if answer.Headers["Cache-Control"] != "no-store" ||
			v.MultiValueHeaders && !slices.Equal(answer.MultiValueHeaders["Cache-Control"], []string{"no-store"}) {
			t.Errorf("%s: %+v", v.Name, answer)
		}
	}
}
