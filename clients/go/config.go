package countersign

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"strings"
)

// Config contains the settings that nearly every server needs. URL and APIKey are required for all requests.
//
// Verifying webhooks requires WebhookSecrets or WebhookKeys: an unset environment variable must not silently
// weaken verification.
type Config struct {
	// URL is the service's address. It must be https, except on this machine's loopback.
	URL string
	// APIKey is the app's secret key, cs_live_….
	APIKey string
	// AppKey is the app's public key, cs_app_…. It is required for logins and approvals.
	AppKey string
	// WebhookSecrets are the app's webhook secrets, whsec_…: one, or several during a rotation. Webhooks must
	// then have a webhook-signature made with one of them, so that only your app's webhooks are accepted.
	WebhookSecrets []string
	// WebhookKeys is set instead of WebhookSecrets, to [PublishedKeys].
	WebhookKeys KeySource
	// Store records what was started and what was accepted. The default is a [MemoryStore], which is unsuitable
	// for a service with several processes: each process would know only its own confirmations.
	Store Store
	// AllowUnencryptedHTTP allows a plain http URL with a private host, such as http://countersign:8080 between
	// containers. Everyone on that network can then read the API key and answer with other keys, so that forged
	// webhooks and logins are accepted. Public hosts are still refused.
	AllowUnencryptedHTTP bool
}

// KeySource says which keys verify webhooks if there is no secret.
type KeySource string

// PublishedKeys verifies webhooks by an x-signature made with one of the service's published keys. The
// service signs the webhooks of all its apps with these keys.
const PublishedKeys KeySource = "published"

// minSecret is the minimum length of a secret, in bytes.
const minSecret = 16

// visible are the characters that keys may contain. Other characters would be refused later, in errors that
// quote the key.
var visible = regexp.MustCompile(`^[!-~]+$`)

func (c Config) check() error {
	switch {
	case c.APIKey == "":
		return errors.New("countersign: Config.APIKey is empty")
	case !visible.MatchString(c.APIKey):
		return errors.New("countersign: Config.APIKey has characters that no API key has, such as a line feed")
	case c.AppKey != "" && !visible.MatchString(c.AppKey):
		return errors.New("countersign: Config.AppKey has characters that no app key has, such as a line feed")
	case c.WebhookKeys != "" && c.WebhookKeys != PublishedKeys:
		return errors.New("countersign: Config.WebhookKeys can only be PublishedKeys")
	case c.WebhookKeys != "" && c.WebhookSecrets != nil:
		return errors.New("countersign: Config.WebhookKeys and Config.WebhookSecrets exclude each other")
	case c.WebhookSecrets != nil && len(c.WebhookSecrets) == 0:
		return errors.New("countersign: Config.WebhookSecrets has no secret")
	case c.Store != nil && isNil(c.Store):
		return errors.New("countersign: Config.Store is a nil pointer")
	}
	return nil
}

// isNil reports whether an interface contains a nil pointer, map or function, which would otherwise fail only
// when used.
func isNil(value any) bool {
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Func, reflect.Slice, reflect.Chan:
		return v.IsNil()
	default:
		return false
	}
}

// checkURL returns the URL without trailing slashes. Over plain http, anyone on the network path could read
// the API key and answer with other keys.
func checkURL(text string, unencrypted bool) (string, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Hostname() == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", errors.New("countersign: Config.URL is not the URL of a service")
	}
	host := parsed.Hostname()
	plain := parsed.Scheme == "http" && (isLoopback(host) || unencrypted && isPrivate(host))
	if parsed.Scheme != "https" && !plain {
		return "", errors.New("countersign: Config.URL must be https, or http on loopback, " +
			"or http to a private host with AllowUnencryptedHTTP")
	}
	return strings.TrimRight(parsed.String(), "/"), nil
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

var (
	carrierGradeNAT = netip.MustParsePrefix("100.64.0.0/10")
	privateName     = regexp.MustCompile(`^[\w-]+$|\.(?:internal|local|localhost|svc|svc\.cluster\.local)$`)
)

// isPrivate reports whether an address or a name belongs to a private network.
func isPrivate(host string) bool {
	address, err := netip.ParseAddr(host)
	if err != nil {
		return privateName.MatchString(host)
	}
	return address.IsPrivate() || address.IsLoopback() || address.IsLinkLocalUnicast() ||
		carrierGradeNAT.Contains(address)
}

func decodeSecrets(texts []string) ([][]byte, error) {
	var secrets [][]byte
	for _, text := range texts {
		encoded, hasPrefix := strings.CutPrefix(text, "whsec_")
		secret, err := base64.StdEncoding.DecodeString(encoded)
		// The decoder ignores line feeds.
		isExact := base64.StdEncoding.EncodeToString(secret) == encoded
		if !hasPrefix || err != nil || !isExact || len(secret) < minSecret {
			return nil, errors.New("countersign: Config.WebhookSecrets must be secrets that begin with whsec_")
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

// checkOrigin refuses an origin that is not in the form that browsers send, because it would match no
// request.
func checkOrigin(text string) error {
	parsed, err := url.Parse(text)
	defaultPort := map[string]string{"https": "443", "http": "80"}
	if err == nil {
		port, isWeb := defaultPort[parsed.Scheme]
		if isWeb && parsed.Host != "" && parsed.Hostname() != "" && parsed.Port() != port &&
			text == strings.ToLower(parsed.Scheme+"://"+parsed.Host) {
			return nil
		}
	}
	return fmt.Errorf("countersign: Origin is not an origin as browsers send it, such as https://shop.example")
}
