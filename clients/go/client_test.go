package countersign

import (
	"strings"
	"testing"
)

func TestURLIsChecked(t *testing.T) {
	for url, expected := range map[string]string{
		"https://api.shop.example":       "https://api.shop.example",
		"https://api.shop.example///":    "https://api.shop.example",
		"https://shop.example/cs/":       "https://shop.example/cs",
		"http://127.0.0.1:8787/":         "http://127.0.0.1:8787",
		"http://[::1]:8787":              "http://[::1]:8787",
		"http://localhost":               "http://localhost",
		"":                               "",
		"api.shop.example":               "",
		"http://api.shop.example":        "",
		"http://localhost.evil.example":  "",
		"http://127.0.0.1.evil.example/": "",
		"ftp://127.0.0.1":                "",
		"https://":                       "",
		"https://key@api.shop.example":   "",
		"https://api.shop.example/?a=b":  "",
		"https://api.shop.example/#a":    "",
	} {
		client, err := New(Config{URL: url})
		switch {
		case expected == "" && err == nil:
			t.Errorf("%q was accepted", url)
		case expected != "" && err != nil:
			t.Errorf("%q: %v", url, err)
		case expected != "" && client.baseURL != expected:
			t.Errorf("%q became %q", url, client.baseURL)
		}
	}
}

func TestMalformedWebhookSecretIsNotQuoted(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_*****************", "c2VjcmV0c2VjcmV0c2VjcmV0", "whsec_c2hvcnQ="} {
		_, err := New(Config{URL: "https://api.shop.example", WebhookSecrets: []string{secret}})
		if err == nil {
			t.Errorf("%q was accepted", secret)
		} else if secret != "" && secret != "whsec_" && strings.Contains(err.Error(), secret) {
			t.Errorf("the error quotes the secret: %v", err)
		}
	}
}

func TestRandomUUIDHasVersion4(t *testing.T) {
	one, other := randomUUID(), randomUUID()
	if one == other || len(one) != 36 || one[14] != '4' || !strings.ContainsRune("89ab", rune(one[19])) {
		t.Errorf("%s, %s", one, other)
	}
}
