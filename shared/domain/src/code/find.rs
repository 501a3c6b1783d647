//! Finding the code in a text as people and their phones really send it.
//!
//! Put up with: any Unicode compatibility form (full-width letters), zero-width and direction
//! marks, white space inside the code, every Unicode dash for the hyphen, lower case, O for 0 and
//! I or L for 1, one layer of percent-encoding, and any text before and after. Not put up with:
//! a seventeenth letter or digit right behind the code, a letter or digit right before it, or two
//! different codes in one text.

use percent_encoding::percent_decode_str;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

use super::{ALPHABET, Code, CodePrefix, SYMBOLS};

/// The longest text that is looked at, in bytes: more than ten concatenated messages.
const LONGEST: usize = 8 * 1024;

/// Why a text holds no code that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum NoCode {
    /// Nothing in the text has the form of a code.
    #[error("the text holds no code")]
    Absent,
    /// Two different codes: taking either could be the wrong one.
    #[error("the text holds more than one code")]
    Ambiguous,
}

pub(super) fn find(text: &str, prefixes: &[CodePrefix]) -> Result<Code, NoCode> {
    if text.len() > LONGEST {
        return Err(NoCode::Absent);
    }
    let plain = plain_characters(text);
    let mut found: Option<Code> = None;
    for start in 0..plain.len() {
        if start > 0 && plain[start - 1].is_alphanumeric() {
            continue;
        }
        for prefix in prefixes {
            let Some(code) = code_at(&plain[start..], prefix) else {
                continue;
            };
            match &found {
                Some(earlier) if *earlier != code => return Err(NoCode::Ambiguous),
                _ => found = Some(code),
            }
        }
    }
    found.ok_or(NoCode::Absent)
}

/// The text with its disguises taken off: percent-encoding, compatibility forms, invisible
/// characters, case, and the many dashes.
fn plain_characters(text: &str) -> Vec<char> {
    let decoded = percent_decode_str(text)
        .decode_utf8()
        .unwrap_or(text.into());
    decoded
        .nfkc()
        .filter(|c| !is_invisible(*c))
        .flat_map(char::to_uppercase)
        .map(|c| if is_dash(c) { '-' } else { c })
        .collect()
}

/// The code that begins exactly here, if one does.
fn code_at(text: &[char], prefix: &CodePrefix) -> Option<Code> {
    let mut rest = text
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, c)| !c.is_whitespace());
    for letter in prefix.as_str().chars() {
        if rest.next()?.1 != letter {
            return None;
        }
    }
    if rest.next()?.1 != '-' {
        return None;
    }
    let mut values = [0; SYMBOLS];
    let mut last = 0;
    for value in &mut values {
        let (at, symbol) = rest.next()?;
        *value = value_of(symbol)?;
        last = at;
    }
    match text.get(last + 1) {
        Some(next) if next.is_alphanumeric() => None,
        _ => Some(Code::from_values(values)),
    }
}

/// What a symbol stands for, look-alikes included.
fn value_of(symbol: char) -> Option<u8> {
    let symbol = match symbol {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    let position = ALPHABET
        .iter()
        .position(|known| char::from(*known) == symbol)?;
    u8::try_from(position).ok()
}

/// The characters of Unicode's category Pd, the minus sign and the hyphen bullet.
fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{058A}' | '\u{05BE}' | '\u{1400}' | '\u{1806}' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2043}'
                | '\u{2212}'
                | '\u{2E17}'
                | '\u{2E1A}'
                | '\u{2E3A}'
                | '\u{2E3B}'
                | '\u{2E40}'
                | '\u{2E5D}'
                | '\u{301C}'
                | '\u{3030}'
                | '\u{30A0}'
                | '\u{FE31}'
                | '\u{FE32}'
                | '\u{FE58}'
                | '\u{FE63}'
                | '\u{FF0D}'
                | '\u{10EAD}'
    )
}

/// Characters that take no room on a screen: zero-width, direction marks, variation selectors.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180B}'..='\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn prefixes() -> Vec<CodePrefix> {
        ["CS", "SHOP"]
            .map(|text| CodePrefix::parse(text).unwrap())
            .to_vec()
    }

    fn found(text: &str) -> Result<String, NoCode> {
        find(text, &prefixes()).map(|code| code.spell(&CodePrefix::default()))
    }

    const CODE: &str = "CS-01ABCDEFGHJKMNPQ";

    #[test]
    fn real_texts() {
        for text in [
            "CS-01ABCDEFGHJKMNPQ",
            "cs-01abcdefghjkmnpq",
            "CS-OIABCDEFGHJKMNPQ",
            "CS-0LABCDEFGHJKMNPQ",
            "CS–01ABCDEFGHJKMNPQ",
            "CS\u{2212}01ABCDEFGHJKMNPQ",
            "CS - 01AB CDEF GHJK MNPQ",
            "CS-01ABCDEF\nGHJKMNPQ",
            "CS-01AB\u{200B}CDEFGHJKMNPQ",
            "ＣＳ－０１ＡＢＣＤＥＦＧＨＪＫＭＮＰＱ",
            "CS%2D01ABCDEFGHJKMNPQ",
            "Sign%20in%3A%20CS-01ABCDEFGHJKMNPQ",
            "My code is CS-01ABCDEFGHJKMNPQ. Thanks!",
            "CS-01ABCDEFGHJKMNPQ Sent from my phone",
            "CS-01ABCDEFGHJKMNPQ\n--\nBob",
            "\"CS-01ABCDEFGHJKMNPQ\"",
            "CS-01ABCDEFGHJKMNPQ CS-01ABCDEFGHJKMNPQ",
            "re-send: CS-01ABCDEFGHJKMNPQ",
            "100% sure CS-01ABCDEFGHJKMNPQ",
            "SHOP-01ABCDEFGHJKMNPQ",
        ] {
            assert_eq!(found(text).as_deref(), Ok(CODE), "{text}");
        }
    }

    #[test]
    fn what_is_no_code() {
        for text in [
            "",
            "STOP",
            "HELP",
            "CS-",
            "CS-01ABCDEFGHJKMNP",
            "CS-01ABCDEFGHJKMNPQR",
            "XCS-01ABCDEFGHJKMNPQ",
            "CS01ABCDEFGHJKMNPQ",
            "CS-01ABCDEFGHJKMNPU",
            "AB-01ABCDEFGHJKMNPQ",
            "CS-01ABCDEFGHJKMNPQé",
            "CS%252D01ABCDEFGHJKMNPQ",
        ] {
            assert_eq!(found(text), Err(NoCode::Absent), "{text}");
        }
        assert_eq!(
            found(&format!("{CODE}{}", " ".repeat(LONGEST))),
            Err(NoCode::Absent)
        );
    }

    #[test]
    fn two_codes_are_none() {
        let text = "CS-01ABCDEFGHJKMNPQ or CS-01ABCDEFGHJKMNPR";
        assert_eq!(found(text), Err(NoCode::Ambiguous));
    }

    const ENCODE_ALL: percent_encoding::AsciiSet = percent_encoding::CONTROLS.complement();

    /// Every way in which a symbol may arrive.
    fn disguise(symbol: char, pick: u8) -> String {
        let plain = match (symbol, pick % 3) {
            ('0', 1) => 'O',
            ('1', 1) => 'i',
            ('1', 2) => 'L',
            (other, 1) => other.to_ascii_lowercase(),
            (other, _) => other,
        };
        match (pick / 3) % 6 {
            1 => format!("{plain} "),
            2 => format!("\u{200B}{plain}"),
            3 => format!("{plain}\u{FEFF}\n"),
            4 => char::from_u32(u32::from(plain) + 0xFEE0)
                .unwrap_or(plain)
                .to_string(),
            _ => plain.to_string(),
        }
    }

    proptest! {
        #[test]
        fn every_code_is_found_in_every_disguise(
            bits: [u8; 10],
            picks in proptest::collection::vec(any::<u8>(), 16),
            dash in prop::sample::select(vec!["-", "–", "—", "\u{2212}", "\u{2010}", " - ", "－"]),
            before in "([a-z ]{0,20}[ :.!?\n])?",
            after in "([ .,!?\n][A-Za-z0-9 ]{0,20})?",
        ) {
            let code = Code(bits);
            let spelt = code.spell(&CodePrefix::default());
            let body: String = spelt[3..].chars().zip(&picks).map(|(c, p)| disguise(c, *p)).collect();
            let text = format!("{before}CS{dash}{}{after}", body.trim_end());
            prop_assert_eq!(find(&text, &prefixes()), Ok(code.clone()));
            let encoded = percent_encoding::percent_encode(text.as_bytes(), &ENCODE_ALL).to_string();
            prop_assert_eq!(find(&encoded, &prefixes()), Ok(code));
        }

        #[test]
        fn anything_may_arrive(text in "\\PC{0,200}") {
            let _ = find(&text, &prefixes());
        }

        #[test]
        fn a_seventeenth_symbol_spoils_it(bits: [u8; 10], extra in "[0-9A-Za-z]") {
            let spelt = Code(bits).spell(&CodePrefix::default());
            prop_assert_eq!(find(&format!("{spelt}{extra}"), &prefixes()), Err(NoCode::Absent));
        }
    }
}
