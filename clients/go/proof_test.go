package countersign

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

func TestProofNamesItsUser(t *testing.T) {
	phone := newPhone()
	client := newTestClient(t, newStub(t), &testWorld{}, nil)
	anonymous := phone.claims()
	delete(anonymous, "sub")
	for name, proof := range map[string]string{
		"with a name": phone.proof(), "without one": phone.signed(phone.header(), anonymous),
	} {
		login, err := client.Logins.Verify(ctx, phone.detail(proof), phone.expected())
		if err != nil || *login != (Login{testUser, phone.key.ID}) {
			t.Errorf("%s: %v, %v", name, login, err)
		}
	}
	der, _ := base64.StdEncoding.DecodeString(phone.publicKey())
	expected := phone.expected()
	expected.FindKey = func(context.Context, string) (*RegisteredKey, error) {
		text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
		return &RegisteredKey{PublicKey: string(text), UserID: testUser}, nil
	}
	if _, err := client.Logins.Verify(ctx, phone.detail(phone.proof()), expected); err != nil {
		t.Errorf("PEM: %v", err)
	}
}

func TestContextMustBeTheOneThatWasApproved(t *testing.T) {
	client := newTestClient(t, newStub(t), &testWorld{}, nil)
	for _, approved := range []string{"", "Pay 20 EUR to Zoë"} {
		for _, expected := range []string{"", "Pay 20 EUR to Zoë", "Pay 90 EUR to Zoë"} {
			phone := newPhone()
			phone.context = approved
			expectation := phone.expected()
			expectation.Context = expected
			_, err := client.Logins.Verify(ctx, phone.detail(phone.proof()), expectation)
			if approved == expected && err != nil || approved != expected && !isRefused(err) {
				t.Errorf("approved %q, expected %q: %v", approved, expected, err)
			}
		}
	}
}

func TestForgedProofsAreRefused(t *testing.T) {
	phone := newPhone()
	client := newTestClient(t, newStub(t), &testWorld{}, nil)
	for _, forgeries := range []map[string]LoginDetail{
		otherDetails(phone), otherClaims(phone), otherHeaders(phone), otherTexts(phone),
	} {
		for name, forgery := range forgeries {
			if login, err := client.Logins.Verify(ctx, forgery, phone.expected()); !isRefused(err) {
				t.Errorf("%s: %v, %v", name, login, err)
			}
		}
	}
}

// otherDetails contain the right proof next to other data.
func otherDetails(p *phone) map[string]LoginDetail {
	forgeries := make(map[string]LoginDetail)
	add := func(name string, change func(*LoginDetail)) {
		detail := p.detail(p.proof())
		change(&detail)
		forgeries[name] = detail
	}
	add("another payload", func(d *LoginDetail) { d.Payload = "another token" })
	add("no payload", func(d *LoginDetail) { d.Payload = "" })
	for _, salt := range []string{protocol.Base64URL(make([]byte, 16)), "", "*", testSalt + "=", protocol.Base64URL([]byte("0123456789abcde")), testSalt + "\n"} {
		add("salt "+salt, func(d *LoginDetail) { d.Salt = salt })
	}
	for _, id := range []string{"qrs_cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd", strings.ToUpper(testSession), ""} {
		add("session "+id, func(d *LoginDetail) { d.SessionID = id })
	}
	stranger := newPhone()
	add("an unknown key", func(d *LoginDetail) { d.Proof = stranger.proof() })
	stranger.key.ID = p.key.ID
	add("another key under this id", func(d *LoginDetail) { d.Proof = stranger.proof() })
	return forgeries
}

// otherClaims are signed by the right key.
func otherClaims(p *phone) map[string]LoginDetail {
	forgeries := make(map[string]LoginDetail)
	add := func(name string, value any) {
		claims := p.claims()
		claims[name] = value
		forgeries[fmt.Sprint(name, " ", value)] = p.detail(p.signed(p.header(), claims))
	}
	right := p.claims()
	for _, name := range []string{"act", "app", "aud", "exp", "iat", "jti", "pay"} {
		claims := maps.Clone(right)
		delete(claims, name)
		forgeries["no "+name] = p.detail(p.signed(p.header(), claims))
		for _, value := range []any{nil, []any{right[name]}, map[string]any{}, true, ""} {
			add(name, value)
		}
	}
	iat := p.at.Unix()
	add("act", "deny")
	add("app", testAppKey+"x")
	add("sub", nil)
	add("sub", "ZOE@example.com")
	add("sub", []string{testUser})
	add("aud", []string{testOrigin, "https://evil.example"})
	add("aud", testOrigin+"/")
	for _, exp := range []any{iat + 301, iat + 299, float64(iat) + 300.5, 1e300, uint64(math.MaxUint64)} {
		add("exp", exp)
	}
	for _, value := range []any{0, -1, float64(iat) + 0.5} {
		add("iat", value)
	}
	fractional := p.claims()
	fractional["iat"], fractional["exp"] = float64(iat)+0.5, float64(iat)+300.5
	forgeries["a fraction of a second"] = p.detail(p.signed(p.header(), fractional))
	add("nbf", 0)
	add("admin", true)
	add("ctx", protocol.ContextHash("Pay"))
	for _, claims := range []any{nil, []any{}, []any{right}, "text", 7} {
		forgeries[fmt.Sprintf("claims %.20v", claims)] = p.detail(p.signed(p.header(), claims))
	}
	return forgeries
}

func otherHeaders(p *phone) map[string]LoginDetail {
	forgeries := make(map[string]LoginDetail)
	right := p.header()
	for _, header := range []string{
		strings.Replace(right, "ES256", "none", 1), strings.Replace(right, "ES256", "HS256", 1),
		strings.Replace(right, "ES256", "ES384", 1), strings.Replace(right, "ES256", "es256", 1),
		strings.Replace(right, "countersign-login+jwt", "JWT", 1),
		strings.Replace(right, "countersign-login+jwt", "application/countersign-login+jwt", 1),
		strings.Replace(right, `"`+p.key.ID+`"`, "null", 1), strings.Replace(right, p.key.ID, p.key.ID+"=", 1),
		strings.Replace(right, `"`+p.key.ID+`"`, `["`+p.key.ID+`"]`, 1),
		strings.Replace(right, "}", `,"crit":["exp"]}`, 1), strings.Replace(right, "}", `,"b64":true}`, 1),
		strings.Replace(right, "}", `,"jku":"https://evil.example"}`, 1),
		" " + right, "\ufeff" + right, right + "\n", strings.ReplaceAll(right, ":", ": "),
		strings.Replace(right, "login", `\u006cogin`, 1), strings.Replace(right, "{", `{"alg":"none",`, 1),
		strings.Replace(right, `"typ"`, `"TYP"`, 1), "", "null", "[]",
	} {
		forgeries["header "+header] = p.detail(p.signed(header, p.claims()))
	}
	claims := strings.Split(p.proof(), ".")[1]
	encoded := protocol.Base64URL([]byte(right))
	for _, header := range []string{encoded + "=", encoded + "\n", " " + encoded, strings.Replace(encoded, "J", "%J", 1)} {
		forgeries["encoded header "+header] = p.detail(p.signedText(header + "." + claims))
	}
	for _, alg := range []string{"none", "ES256"} {
		header := protocol.Base64URL([]byte(strings.Replace(right, "ES256", alg, 1)))
		forgeries[alg+" without a signature"] = p.detail(header + "." + claims + ".")
	}
	// The public key as an HMAC secret.
	input := protocol.Base64URL([]byte(strings.Replace(right, "ES256", "HS256", 1))) + "." + claims
	der, _ := base64.StdEncoding.DecodeString(p.publicKey())
	for _, secret := range [][]byte{der, []byte(p.publicKey())} {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(input))
		forgeries[fmt.Sprint("HMAC ", len(secret))] = p.detail(input + "." + protocol.Base64URL(mac.Sum(nil)))
	}
	return forgeries
}

func otherTexts(p *phone) map[string]LoginDetail {
	proof := p.proof()
	dot := strings.LastIndex(proof, ".")
	input, signature := proof[:dot], proof[dot+1:]
	raw, _ := base64.RawURLEncoding.DecodeString(signature)
	raw[63] ^= 1
	forgeries := make(map[string]LoginDetail)
	for _, text := range []string{
		"", ".", "..", "a.b.c", input, proof + "." + signature, proof + strings.Repeat("A", 2048),
		input + "." + protocol.Base64URL(raw), input + "." + protocol.Base64URL(make([]byte, 64)), input + "." + protocol.Base64URL(raw[:63]),
		input + "x." + signature, strings.Repeat("ü", 700), "{}", proof + "\n", proof + "=",
	} {
		forgeries[fmt.Sprintf("text %.40s (%d)", text, len(text))] = p.detail(text)
	}
	return forgeries
}

func TestLongProofIsRefusedUnread(t *testing.T) {
	phone := newPhone()
	client := newTestClient(t, newStub(t), &testWorld{}, nil)
	expected := phone.expected()
	asked := 0
	expected.FindKey = func(ctx context.Context, id string) (*RegisteredKey, error) {
		asked++
		return phone.findKey(ctx, id)
	}
	claims := phone.claims()
	for _, length := range []int{100, 2000} {
		claims["x"] = strings.Repeat("x", length)
		_, err := client.Logins.Verify(ctx, phone.detail(phone.signed(phone.header(), claims)), expected)
		if !isRefused(err) || asked != 1 {
			t.Errorf("%d: %v, looked for the key %d times", length, err, asked)
		}
	}
}

func TestFaultsOfTheServerRefuseNoLogin(t *testing.T) {
	phone, other := newPhone(), newPhone()
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, _ := x509.MarshalPKIXPublicKey(&p384.PublicKey)
	client := newTestClient(t, newStub(t), &testWorld{}, nil)
	failure := errors.New("no database")
	for name, test := range map[string]struct {
		key  *RegisteredKey
		err  error
		want error
	}{
		"the database fails": {nil, failure, failure},
		"not a key":          {&RegisteredKey{PublicKey: "MFkw"}, nil, errKeyForm},
		"another curve":      {&RegisteredKey{PublicKey: base64.StdEncoding.EncodeToString(der)}, nil, errKeyForm},
		"another key":        {&RegisteredKey{PublicKey: other.publicKey()}, nil, errKeyOther},
	} {
		expected := phone.expected()
		expected.FindKey = func(context.Context, string) (*RegisteredKey, error) { return test.key, test.err }
		_, err := client.Logins.Verify(ctx, phone.detail(phone.proof()), expected)
		if !errors.Is(err, test.want) || isRefused(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	client = newTestClient(t, newStub(t), &testWorld{}, func(c *Config) { c.AppKey = "" })
	_, err = client.Logins.Verify(ctx, phone.detail(phone.proof()), phone.expected())
	if err == nil || isRefused(err) || !strings.Contains(err.Error(), "AppKey") {
		t.Errorf("no app key: %v", err)
	}
}
