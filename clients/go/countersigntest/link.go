package countersigntest

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

const maxLink = 2048

var sessionIDPattern = regexp.MustCompile(`^qr[sp]_[0-9a-f]{32}$`)

func isPlain(id string) bool { return strings.HasPrefix(id, "qrp_") }

// parseLink returns the session id in a link.
func parseLink(link string) (string, error) {
	// URL parsers drop or replace these characters, so two parsers could read two different links.
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }
	parsed, err := url.Parse(link)
	if err != nil || len(link) > maxLink || strings.ContainsFunc(link, isOdd) || parsed.Scheme == "" {
		return "", &RefusedError{LinkMalformed}
	}
	if parsed.Scheme != "https" && parsed.Scheme != "http" {
		return "", &RefusedError{LinkInsecure}
	}
	scheme := protocol.LinkScheme(strings.ToLower(parsed.Host))
	if scheme == "" || parsed.User != nil || parsed.Path != "" && parsed.Path != "/" {
		return "", &RefusedError{LinkMalformed}
	}
	if parsed.Scheme != scheme {
		return "", &RefusedError{LinkInsecure}
	}
	ids := parsed.Query()["sessionId"]
	switch {
	case len(ids) == 0:
		return "", &RefusedError{SessionIDMissing}
	case len(ids) > 1 || !sessionIDPattern.MatchString(ids[0]):
		return "", &RefusedError{SessionIDMalformed}
	default:
		return ids[0], nil
	}
}
