// Package generate generates the library's types from docs/openapi.json, with oapi-codegen and the options in
// config.yaml.
package generate

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTypesAreFresh(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "types.go")
	command := exec.Command("go", "tool", "oapi-codegen", "-config", "config.yaml", "-o", fresh,
		"../../../../docs/openapi.json")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	expected, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	expectCommitted(t, "types.gen.go", expected)
}

func TestProblemCodesAreFresh(t *testing.T) {
	codes, err := exec.Command("go", "run", "./codes").Output()
	if err != nil {
		t.Fatal(err)
	}
	expectCommitted(t, "problem_code.gen.go", codes)
}

func expectCommitted(t *testing.T, name string, expected []byte) {
	t.Helper()
	committed, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, expected) {
		t.Errorf("%s is stale: run `go generate` in the library's folder", name)
	}
}
