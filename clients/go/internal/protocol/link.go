package protocol

import (
	"net/url"
	"regexp"
	"strconv"
)

var (
	loopbackHost = regexp.MustCompile(`^(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?$`)
	namedHost    = regexp.MustCompile(`^((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?::(\d{1,5}))?$`)
	numericEnd   = regexp.MustCompile(`(?:^|\.)(?:\d+|0x[0-9a-f]*)$`)
)

// LinkScheme returns the scheme of links to a host in lower case: https, or http for a loopback host, where the
// service has no certificate. It is empty if a link cannot have this host.
func LinkScheme(host string) string {
	if found := loopbackHost.FindStringSubmatch(host); found != nil && isPort(found[1]) {
		return "http"
	}
	found := namedHost.FindStringSubmatch(host)
	if found == nil || !isPort(found[2]) || len(found[1]) > 253 || numericEnd.MatchString(found[1]) {
		return ""
	}
	return "https"
}

func isPort(text string) bool {
	if text == "" {
		return true
	}
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// IsLinkOf reports whether a link is exactly that of a login, at any host.
func IsLinkOf(link, sessionID string) bool {
	parsed, err := url.Parse(link)
	return err == nil && parsed.Scheme == LinkScheme(parsed.Host) && parsed.Scheme != "" &&
		link == parsed.Scheme+"://"+parsed.Host+"?sessionId="+sessionID
}
