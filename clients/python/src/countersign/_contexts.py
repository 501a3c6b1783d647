"""Texts that a phone shows for approval: the user sees every character, and each text has only one spelling.

The service refuses other texts, and a phone with the app knows more scripts than this check: here, a character
that joins or varies others may follow any character.
"""

import re
import unicodedata

MAX_BYTES = 1024
MAX_LINES = 12
MAX_MARKS = 8

# Invisible on their own (Default_Ignorable_Code_Point), although their categories do not say so.
IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
# Join or modify the character before them.
JOINING = re.compile(
    "[\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe02\ufe0e\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]"
)
# Visible format characters (Prepended_Concatenation_Mark).
PREPENDED = re.compile("[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]")
# Symbols and letters that are blank.
BLANK = frozenset("\u2800\U0001d159")
OBJECT_REPLACEMENT = "\ufffc"


def is_context(text: str) -> bool:
    """Returns whether a phone may show a text for approval."""
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return False
    lines = text.split("\n")
    return (
        len(raw) <= MAX_BYTES
        and len(lines) <= MAX_LINES
        and any(map(_is_visible, text))
        and unicodedata.is_normalized("NFC", text)
        and all(map(_shows_everything, lines))
    )


def _is_visible(character: str) -> bool:
    is_drawn = unicodedata.category(character)[0] in "LNPS"
    return is_drawn and not IGNORED.match(character) and character not in BLANK


def _shows_everything(line: str) -> bool:
    marks = 0
    for at, character in enumerate(line):
        if _is_hidden(character) and not (
            PREPENDED.match(character) or (at > 0 and JOINING.match(character))
        ):
            return False
        is_mark = unicodedata.category(character)[0] == "M"
        marks = marks + 1 if is_mark else 0
        if marks > MAX_MARKS or (is_mark and at == 0):
            return False
    return True


def _is_hidden(character: str) -> bool:
    acts_or_varies = unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs")
    return acts_or_varies or IGNORED.match(character) is not None or character == OBJECT_REPLACEMENT
