// Package generate makes the library's types from docs/openapi.json, with oapi-codegen and the options in
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
	committed, err := os.ReadFile("../../types.gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, expected) {
		t.Error("types.gen.go is stale: run `go generate` in the library's folder")
	}
}
