package countersign

import (
	"strings"
	"testing"
)

func TestMalformedWebhookSecretIsNotQuoted(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_*****************", "c2VjcmV0c2VjcmV0c2VjcmV0", "whsec_c2hvcnQ="} {
		_, err := New(Config{URL: "https://api.shop.example", APIKey: testAPIKey, WebhookSecrets: []string{secret}})
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
