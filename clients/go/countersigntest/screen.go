package countersigntest

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxContext = 1024 // bytes
	maxLines   = 12
	maxMarks   = 8 // on one letter
)

// isShown reports whether every screen shows the same text: all of it, in its order. The service checks this in
// more detail when a login is opened; this function finds texts that were slipped in later.
func isShown(text string) bool {
	lines := strings.Split(text, "\n")
	if len(text) > maxContext || len(lines) > maxLines || !norm.NFC.IsNormalString(text) ||
		!strings.ContainsFunc(text, isVisible) {
		return false
	}
	for _, line := range lines {
		marks, before := 0, rune(0)
		for _, r := range line {
			if unicode.Is(unicode.M, r) {
				marks++
			} else {
				marks = 0
			}
			if isHidden(r, before) || marks > maxMarks || marks > 0 && before == 0 {
				return false
			}
			before = r
		}
	}
	return true
}

func isVisible(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) }

// isHidden reports whether a character is invisible, reorders others, or means something else on each screen. Scripts
// and emoji use some of these characters to join letters and pictures.
func isHidden(r, before rune) bool {
	switch {
	case r == '\ufe0e' || r == '\ufe0f': // text and emoji, such as ©️ and 1️⃣
		return before == 0 || unicode.IsSpace(before)
	case unicode.In(r, joining):
		return before < unicode.MaxLatin1
	case unicode.In(r, unicode.Prepended_Concatenation_Mark):
		return false
	case r == '\ufffc' || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point):
		return true
	default:
		return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs)
	}
}

// joining contains the two joiners, the variation selectors, and the tags of flags.
var joining = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x180b, Hi: 0x180d, Stride: 1}, {Lo: 0x200c, Hi: 0x200d, Stride: 1}, {Lo: 0xfe00, Hi: 0xfe02, Stride: 1},
	},
	R32: []unicode.Range32{{Lo: 0xe0020, Hi: 0xe007f, Stride: 1}, {Lo: 0xe0100, Hi: 0xe01ef, Stride: 1}},
}
