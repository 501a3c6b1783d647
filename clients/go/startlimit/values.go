package startlimit

import (
	"fmt"
	"net/netip"
	"unicode"

	"github.com/countersign/countersign/clients/go/internal/protocol"
)

// countedDigits is the number of digits that distinguish phone numbers: the last ones, so that national and
// international spellings count as the same number.
const countedDigits = 9

// addressValue returns an IPv4 address, or the /64 of an IPv6 address, because one customer has all of it.
func addressValue(text string) (string, bool) {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return "", false
	}
	address = address.WithZone("").Unmap()
	if address.Is4() {
		return address.String(), true
	}
	raw := address.As16()
	group := func(i int) int { return int(raw[2*i])<<8 | int(raw[2*i+1]) }
	return fmt.Sprintf("%x:%x:%x:%x::/64", group(0), group(1), group(2), group(3)), true
}

// numberValue returns the last digits of a number, in any script. It is empty if there are none.
func numberValue(text string) string {
	var digits []byte
	for _, r := range text {
		if digit, ok := digitOf(r); ok {
			digits = append(digits, '0'+digit)
		}
	}
	return string(digits[max(0, len(digits)-countedDigits):])
}

// digitOf returns the value of a decimal digit. In Unicode, the digits of a script are consecutive, from zero
// to nine.
func digitOf(r rune) (byte, bool) {
	for _, row := range unicode.Nd.R16 {
		if rune(row.Lo) <= r && r <= rune(row.Hi) {
			return byte((r - rune(row.Lo)) % 10), true
		}
	}
	for _, row := range unicode.Nd.R32 {
		if rune(row.Lo) <= r && r <= rune(row.Hi) {
			return byte((r - rune(row.Lo)) % 10), true
		}
	}
	return 0, false
}

// key returns the key of a count. It hides the value from anyone who can read the counts.
func key(kind Kind, value string) string {
	return string(kind) + ":" + protocol.Hash("countersign/limit/1\x00", string(kind), "\x00", value)
}
