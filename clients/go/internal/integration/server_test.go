// Package integration tests the library with the real service, and with tools that its users do not need.
package integration

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	countersign "github.com/countersign/countersign/clients/go"
)

var ctx = context.Background()

// patience is the timeout for something that should happen immediately.
const patience = 20 * time.Second

// server is a running service in local mode.
type server struct {
	t       *testing.T
	program string
	data    string
	Demo    struct{ URL, APIKey, AppKey string }
}

// startServer starts the program in COUNTERSIGN_BIN, which runs until the end of the test.
func startServer(t *testing.T) *server {
	t.Helper()
	program := os.Getenv("COUNTERSIGN_BIN")
	if program == "" {
		skip(t, "COUNTERSIGN_BIN does not name the program")
	}
	s := &server{t: t, program: program, data: filepath.Join(t.TempDir(), "data")}
	command := exec.Command(program, "serve", "--listen", "127.0.0.1:0", "--data", s.data)
	var log bytes.Buffer
	command.Stderr = &log
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Signal(syscall.SIGTERM)
		command.Wait()
	})
	for lines := bufio.NewScanner(output); ; {
		if !lines.Scan() {
			t.Fatalf("the server did not start: %s", &log)
		}
		if strings.Contains(lines.Text(), "is ready") {
			break
		}
	}
	text, err := os.ReadFile(filepath.Join(s.data, "demo.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s.Demo); err != nil {
		t.Fatal(err)
	}
	return s
}

// skip skips a test and names it in the file COUNTERSIGN_SKIP_LOG as well, because go test hides the output
// of tests that pass.
func skip(t *testing.T, missing string) {
	t.Helper()
	line := fmt.Sprintf("SKIPPED: Go library, %s: %s", t.Name(), missing)
	if name := os.Getenv("COUNTERSIGN_SKIP_LOG"); name != "" {
		log, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		fmt.Fprintln(log, line)
	}
	t.Skip(line)
}

// run runs the command on the server's data and returns its output.
func (s *server) run(words ...string) string {
	s.t.Helper()
	phone := []string{}
	if words[0] == "phone" {
		phone = []string{"phone", "--phone", filepath.Join(s.data, "..", "phone")}
		words = words[1:]
	}
	command := exec.Command(s.program, append(append([]string{"--data", s.data}, phone...), words...)...)
	var log bytes.Buffer
	command.Stderr = &log
	output, err := command.Output()
	// The command that sends a test webhook fails unless the webhook is accepted, which would be wrong here.
	if err != nil && words[0] != "webhook" {
		s.t.Fatalf("%v: %v\n%s%s", words, err, output, &log)
	}
	return string(output)
}

// text sends a text as a phone would.
func (s *server) text(from string, started *countersign.ConfirmationSession) {
	s.t.Helper()
	s.run("phone", "text", "--from", from, "--to", started.SendTo, "--message", started.ConfirmationMessage)
}

func (s *server) client(change func(*countersign.Config)) *countersign.Client {
	s.t.Helper()
	config := countersign.Config{URL: s.Demo.URL, APIKey: s.Demo.APIKey, AppKey: s.Demo.AppKey}
	if change != nil {
		change(&config)
	}
	if config.WebhookSecrets == nil {
		config.WebhookKeys = countersign.PublishedKeys
	}
	client, err := countersign.New(config)
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

// receiver serves a webhook handler, and reports its answers.
type receiver struct {
	*httptest.Server
	t       *testing.T
	answers chan string
}

func startReceiver(t *testing.T, handler http.Handler) *receiver {
	r := &receiver{t: t, answers: make(chan string, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		w.WriteHeader(recorder.Code)
		r.answers <- fmt.Sprint(recorder.Code, " ", recorder.Body)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) expect(answer string) {
	r.t.Helper()
	if found := receive(r.t, r.answers); found != answer {
		r.t.Errorf("answered %s, expected %s", found, answer)
	}
}

func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		t.Fatal("nothing happened")
		panic("unreachable")
	}
}
