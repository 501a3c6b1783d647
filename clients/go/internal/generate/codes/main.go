// Command codes prints Go constants for the problem codes in docs/problems.md.
package main

import (
	"fmt"
	"go/format"
	"log"
	"os"
	"regexp"
	"slices"
	"strings"
)

var heading = regexp.MustCompile("(?m)^### `([a-z0-9_]+)`$")

// initialisms are words that Go writes in capital letters.
var initialisms = []string{"api", "http", "https", "id", "ip", "json", "url", "qr", "sms"}

func main() {
	text, err := os.ReadFile("../../../../docs/problems.md")
	if err != nil {
		log.Fatal(err)
	}
	var source strings.Builder
	source.WriteString("// Code generated from docs/problems.md. DO NOT EDIT.\n\npackage countersign\n\n" +
		"// Codes of problems that this version knows.\nconst (\n")
	var codes []string
	for _, found := range heading.FindAllStringSubmatch(string(text), -1) {
		codes = append(codes, found[1])
	}
	slices.Sort(codes)
	for _, code := range codes {
		fmt.Fprintf(&source, "Code%s ProblemCode = %q\n", name(code), code)
	}
	source.WriteString(")\n")
	formatted, err := format.Source([]byte(source.String()))
	if err != nil {
		log.Fatal(err)
	}
	os.Stdout.Write(formatted)
}

// name returns the name of a constant: phone_number_not_possible becomes PhoneNumberNotPossible.
func name(code string) string {
	var name strings.Builder
	for _, word := range strings.Split(code, "_") {
		if slices.Contains(initialisms, word) {
			name.WriteString(strings.ToUpper(word))
		} else {
			name.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return name.String()
}
