//! Phone numbers as people write and paste them, in any script and with any separators.

use crate::primitives::typed_text::{is_dash, plain};

/// Maximum length of a text that is parsed, in bytes: a number with direction marks and separators
/// of four bytes each.
const MAX_BYTES: usize = 256;

/// Scheme of a link to a number, which is included when the link is copied (RFC 3966).
const LINK: &str = "tel:";

/// The digits of a number.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// The digits followed a `+`.
    International(String),
    National(String),
}

impl Written {
    /// Reads the digits of a text; `None` if it contains anything else.
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let text: String = plain(text).collect();
        let text = without_link(text.trim_start());
        let mut digits = String::with_capacity(text.len());
        let mut has_plus = false;
        for c in text.chars() {
            match c {
                '0'..='9' => digits.push(c),
                '+' if !has_plus && digits.is_empty() => has_plus = true,
                _ if separates(c) => {}
                _ => return None,
            }
        }
        match (digits.is_empty(), has_plus) {
            (true, _) => None,
            (false, true) => Some(Self::International(digits)),
            (false, false) => Some(Self::National(digits)),
        }
    }
}

fn without_link(text: &str) -> &str {
    match text.split_at_checked(LINK.len()) {
        Some((scheme, number)) if scheme.eq_ignore_ascii_case(LINK) => number,
        _ => text,
    }
}

/// Returns whether people and address books put `c` between the groups of a number or around it, such as
/// the quotes of a table's cell. A comma, a semicolon and an asterisk would be dialed.
fn separates(c: char) -> bool {
    let marks = matches!(
        c,
        '(' | ')'
            | '['
            | ']'
            | '.'
            | '/'
            | '\u{b7}'
            | '\u{2022}'
            | '\u{2027}'
            | '\u{30fb}'
            | '~'
            | '\u{223c}'
            | '\''
            | '"'
            | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}'
    );
    marks || c.is_whitespace() || is_dash(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Written> {
        Written::read(text)
    }

    #[test]
    fn digits_are_read_through_what_is_around_them() {
        let number = || Some(Written::International("12025550100".to_owned()));
        for text in [
            "+12025550100",
            "+1 (202) 555-0100",
            " +1 202 555 0100\n",
            "\u{202a}+1 202\u{a0}555\u{2011}0100\u{202c}",
            "\u{2068}+12025550100\u{2069}",
            "\u{feff}+1202\u{200b}5550100\u{fe0f}",
            "＋１（２０２）５５５－０１００",
            "+١٢٠٢٥٥٥٠١٠٠",
            "+१२०२५५५०१००",
            "+①②⓪②⑤⑤⑤⓪①⓪⓪",
            "+1·202·555·0100",
            "+1/202/555/0100",
            "+1 [202] 555ー0100",
            "+1 202 – 555 — 0100",
            "(+1) 202.555.0100",
            "\"+12025550100\"",
            "'+12025550100",
            "„+1 202 555 0100“",
            "+1\u{2009}202\u{202f}555\u{3000}0100",
            "tel:+1-202-555-0100",
            "\u{200e} TEL:+12025550100",
            "+1️⃣2️⃣0️⃣2️⃣5️⃣5️⃣5️⃣0️⃣1️⃣0️⃣0️⃣",
        ] {
            assert_eq!(read(text), number(), "{text:?}");
        }
        let national = Written::National("02025550100".to_owned());
        assert_eq!(read("\u{202d}(020) 2555-0100\u{202c}"), Some(national));
    }

    #[test]
    fn what_is_more_than_a_number_is_refused() {
        for text in [
            "",
            "+",
            "+()",
            " ",
            "++12025550100",
            "1+2025550100",
            "+1202555O100",
            "+12025550100 ext 4",
            "+12025550100,,4",
            "+12025550100;4",
            "+12025550100#4",
            "sms:+12025550100",
            "tel:",
            "tel:tel:+12025550100",
            "+12025550100 tel:",
            "tel:+12025550100;ext=4",
            "+12025550100 / +12025550101",
            "+一二三四五六七",
            "+1\u{0}2025550100",
            "ACME",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
        assert_eq!(
            read(&format!("+12025550100{}", " ".repeat(MAX_BYTES))),
            None
        );
    }
}
