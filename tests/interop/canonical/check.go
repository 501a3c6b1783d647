// Reads frames from standard input. Checks that Go parses each body into a map and writes it back byte for
// byte, that its metadata has the caller's value, and that its signature is valid for the written bytes.
// Prints a report at the end.
package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"reflect"
)

type head struct {
	Written, Body, Signature uint32
	Comparable               bool
}

type report struct {
	Read         int      `json:"read"`
	Reserialised int      `json:"reserialised"`
	Kept         int      `json:"kept"`
	Verified     int      `json:"verified"`
	Wrong        []string `json:"wrong"`
}

func main() {
	block, _ := pem.Decode([]byte(os.Args[1]))
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	must(err)
	key := parsed.(*ecdsa.PublicKey)

	found := report{Wrong: []string{}}
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		var head head
		err := binary.Read(input, binary.BigEndian, &head)
		if errors.Is(err, io.EOF) {
			break
		}
		must(err)
		written, body, signature := read(input, head.Written), read(input, head.Body), read(input, head.Signature)
		if !found.check(key, written, body, signature, head.Comparable) && len(found.Wrong) < 5 {
			found.Wrong = append(found.Wrong, string(body))
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(found))
}

func (found *report) check(key *ecdsa.PublicKey, written, body, signature []byte, comparable bool) bool {
	found.Read++
	var parsed map[string]any
	must(json.Unmarshal(body, &parsed))
	var metadata any
	must(json.Unmarshal(written, &metadata))
	kept := reflect.DeepEqual(parsed["metadata"], metadata)
	if kept {
		found.Kept++
	}
	if !comparable {
		return kept
	}

	var again bytes.Buffer
	encoder := json.NewEncoder(&again)
	encoder.SetEscapeHTML(false)
	must(encoder.Encode(parsed))
	text := bytes.TrimSuffix(again.Bytes(), []byte("\n"))
	same := bytes.Equal(text, body)
	if same {
		found.Reserialised++
	}
	hash := sha256.Sum256(text)
	verified := len(signature) > 0 && ecdsa.VerifyASN1(key, hash[:], signature)
	if verified {
		found.Verified++
	}
	return kept && same && (verified || len(signature) == 0)
}

func read(input io.Reader, length uint32) []byte {
	part := make([]byte, length)
	_, err := io.ReadFull(input, part)
	must(err)
	return part
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
