//! Texts that strangers wrote, prepared for an assistant.
//!
//! A boundary that no stranger can guess encloses each text, so that the assistant can tell data from instructions.
//! This makes it less likely that it follows them. It does not prevent it: that an assistant has no tool to change or
//! send anything does.

use std::fmt::Write as _;

use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::is_hidden;

/// Maximum length of a stranger's text, in characters.
pub(super) const MAX_FOREIGN: usize = 300;

/// Maximum length of a text of ours or of an operator, in characters.
const MAX_OURS: usize = 8_000;

/// Random bytes of a boundary.
const BOUNDARY_BYTES: usize = 8;

/// Minimum number of digits of a phone number with its country code.
const MIN_INTERNATIONAL: usize = 7;

/// Minimum number of digits of a number without a country code that counts as a phone number.
const MIN_NATIONAL: usize = 9;

/// Number of digits that a masked number keeps.
const SHOWN: usize = 2;

/// The boundary of one answer.
#[derive(Clone, Debug)]
pub(super) struct Boundary(String);

impl Boundary {
    pub(super) fn draw(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; BOUNDARY_BYTES];
        entropy.fill(&mut bytes);
        let mut name = "foreign-".to_owned();
        for byte in bytes {
            let _ = write!(name, "{byte:02x}");
        }
        Self(name)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns a stranger's text on one line, short, without hidden characters and whole phone numbers, within the
    /// boundary.
    pub(super) fn enclose(&self, text: &str) -> String {
        let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let visible: String = line.chars().filter(|c| !is_hidden(*c)).collect();
        let masked = mask_numbers(&visible);
        let name = &self.0;
        format!("<{name}>{}</{name}>", capped(&masked, MAX_FOREIGN))
    }
}

/// Returns a text of ours or of an operator without hidden characters.
pub(super) fn clean(text: &str) -> String {
    let visible = |c: &char| *c == '\n' || !is_hidden(*c);
    let text: String = text.chars().filter(visible).collect();
    capped(&text, MAX_OURS)
}

fn capped(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Masks what may be a phone number: seven digits after a plus or `00`, or nine others. A date stays.
fn mask_numbers(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
        if !in_word && is_date(&chars[at..]) {
            masked.extend(&chars[at..at + DATE]);
            at += DATE;
            continue;
        }
        let length = if in_word { 0 } else { run(&chars[at..]) };
        if length == 0 {
            masked.push(chars[at]);
            at += 1;
            continue;
        }
        let (found, rest) = chars[at..].split_at(length);
        let digits: Vec<char> = found.iter().copied().filter(|c| c.is_numeric()).collect();
        let with_country = found[0] == '+' || digits.starts_with(&['0', '0']);
        let least = if with_country {
            MIN_INTERNATIONAL
        } else {
            MIN_NATIONAL
        };
        let in_word = rest.first().is_some_and(|c| c.is_alphabetic() || *c == '_');
        if digits.len() >= least && !in_word {
            masked.push_str("••• ••");
            masked.extend(&digits[digits.len() - SHOWN..]);
        } else {
            masked.extend(found);
        }
        at += length;
    }
    masked
}

/// Length of `2026-11-30`.
const DATE: usize = 10;

fn is_date(text: &[char]) -> bool {
    let fits = |(at, c): (usize, &char)| match at {
        4 | 7 => *c == '-',
        _ => c.is_ascii_digit(),
    };
    text.len() >= DATE
        && text.iter().take(DATE).enumerate().all(fits)
        && (text.starts_with(&['1', '9']) || text.starts_with(&['2', '0']))
        && !text.get(DATE).is_some_and(char::is_ascii_digit)
}

/// Returns the length of a plus, digits and the separators between them; 0 if the text begins with none.
fn run(text: &[char]) -> usize {
    if !text.first().is_some_and(|c| c.is_numeric() || *c == '+') {
        return 0;
    }
    let mut end = 0;
    for (at, c) in text.iter().enumerate() {
        if c.is_numeric() || (at == 0 && *c == '+') {
            end = at + 1;
        } else if !matches!(c, ' ' | '-' | '.' | '(' | ')' | '/' | '‐' | '–') || at - end > 1 {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enclosed(text: &str) -> String {
        let boundary = Boundary("b".to_owned());
        let text = boundary.enclose(text);
        let text = text.strip_prefix("<b>").unwrap();
        text.strip_suffix("</b>").unwrap().to_owned()
    }

    #[test]
    fn boundary_is_another_one_each_time() {
        let draw = || Boundary::draw(&countersign_system::entropy::OsEntropy).0;
        assert_ne!(draw(), draw());
        assert_eq!(draw().len(), "foreign-".len() + 2 * BOUNDARY_BYTES);
    }

    #[test]
    fn hidden_characters_are_removed() {
        for (text, expected) in [
            ("a\u{0}b\u{1b}[2Jc", "ab[2Jc"),
            ("one\r\ntwo\u{2028}three\tfour", "one two three four"),
            ("a\u{202e}b\u{2066}c\u{2069}\u{200f}\u{61c}d", "abcd"),
            (
                "a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f\u{ad}g",
                "abcdefg",
            ),
            ("a\u{e0049}\u{e0067}\u{e007f}b", "ab"),
            ("a\u{fe0f}\u{fe00}\u{e0100}\u{180b}b", "ab"),
            ("a\u{e000}\u{f0000}\u{fffc}\u{fff9}b", "ab"),
            ("Grüße, 東京 👍", "Grüße, 東京 👍"),
        ] {
            assert_eq!(enclosed(text), expected, "{text:?}");
        }
        assert_eq!(clean("a\u{200b}\nb\u{202e}\r"), "a\nb");
    }

    #[test]
    fn long_text_is_cut() {
        let text = "ä".repeat(MAX_FOREIGN);
        assert_eq!(enclosed(&text), text);
        assert_eq!(enclosed(&format!("{text}ä")), format!("{text}…"));
    }

    #[test]
    fn whole_numbers_are_masked() {
        for (text, expected) in [
            ("unknown: +491701234567", "unknown: ••• ••67"),
            ("+49 170 123-45-67, again", "••• ••67, again"),
            ("00491701234567", "••• ••67"),
            ("(0170) 123 4567", "(••• ••67"),
            ("0170/1234567!", "••• ••67!"),
            ("+1234567", "••• ••67"),
            ("{\"phone\":\"15550123456\"}", "{\"phone\":\"••• ••56\"}"),
            ("٠١٧٠١٢٣٤٥٦٧", "••• ••٦٧"),
            (
                "on 2026-11-30 at 07:32:37.123",
                "on 2026-11-30 at 07:32:37.123",
            ),
            ("2026-11-30T07:32:37.123Z", "2026-11-30T07:32:37.123Z"),
            ("500 after 12 ms", "500 after 12 ms"),
            ("order 12345678", "order 12345678"),
            ("cfm_0123456789012345", "cfm_0123456789012345"),
            ("0123456789abcdef", "0123456789abcdef"),
            ("+49 170 ••• ••67", "+49 170 ••• ••67"),
        ] {
            assert_eq!(enclosed(text), expected, "{text}");
        }
    }
}
