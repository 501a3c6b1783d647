//! Texts that are not valid Unicode: a phone or a provider cut an emoji in half, or sent bytes in another encoding.
//!
//! Unreadable bytes become U+FFFD, and the rest is used. `serde_json` refuses both kinds of corruption, in
//! all strings of a body, even unneeded ones. Bodies are therefore repaired before parsing, but after the
//! original bytes were authenticated.

use std::borrow::Cow;

/// The escape of U+FFFD, as long as the escape that it replaces.
const REPLACEMENT: &[u8; ESCAPE] = b"\\ufffd";

/// Length of an escaped UTF-16 code unit: `\u` and four digits.
const ESCAPE: usize = 6;

/// Returns a JSON document with U+FFFD in place of bytes that are not UTF-8, and of escaped surrogates without
/// their other half. Valid JSON is not changed, and neither is any other error.
pub(crate) fn repaired(json: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired = match String::from_utf8_lossy(json) {
        Cow::Borrowed(_) => Cow::Borrowed(json),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    };
    let mut at = 0;
    // Backslashes occur only in strings, and always begin an escape.
    while let Some(next) = repaired[at..].iter().position(|byte| *byte == b'\\') {
        at += next;
        at += match surrogate(&repaired[at..]) {
            None => 2,
            Some(Half::First)
                if matches!(surrogate(&repaired[at + ESCAPE..]), Some(Half::Second)) =>
            {
                2 * ESCAPE
            }
            Some(_) => {
                repaired.to_mut()[at..at + ESCAPE].copy_from_slice(REPLACEMENT);
                ESCAPE
            }
        };
        at = at.min(repaired.len());
    }
    repaired
}

/// One half of a surrogate pair.
enum Half {
    First,
    Second,
}

/// Returns the surrogate half that the escape at the beginning of a text stands for, if any.
fn surrogate(text: &[u8]) -> Option<Half> {
    let digits = text.get(..ESCAPE)?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) || !digits[0].eq_ignore_ascii_case(&b'd') {
        return None;
    }
    match digits[1].to_ascii_lowercase() {
        b'8'..=b'9' | b'a'..=b'b' => Some(Half::First),
        b'c'..=b'f' => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn read(json: &[u8]) -> Option<String> {
        serde_json::from_slice(&repaired(json)).ok()
    }

    #[test]
    fn half_an_emoji_is_replaced() {
        for (json, text) in [
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\uDE00""#, "\u{fffd}"),
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\uD83D\uDE00\uD83D""#, "😀\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\ud83d\n\ude00""#, "\u{fffd}\n\u{fffd}"),
            (r#""\ud83d\\ude00""#, "\u{fffd}\\ude00"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\ud7ff\ue000\ufffd""#, "\u{d7ff}\u{e000}\u{fffd}"),
        ] {
            assert_eq!(read(json.as_bytes()).as_deref(), Some(text), "{json}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced() {
        for bytes in [
            &b"\xff"[..],
            b"\xc0\x80",
            b"\xed\xa0\xbd",
            b"\xf0\x9f\x98",
            b"caf\xe9",
            b"\xf4\x90\x80\x80",
        ] {
            let json = [b"\"CS-1 ", bytes, b"\""].concat();
            let text = read(&json).unwrap();
            assert_eq!(text, String::from_utf8_lossy(&json[1..json.len() - 1]));
        }
    }

    #[test]
    fn other_faults_stay() {
        for json in [
            r#""\ud83"#,
            r#""\ud83g""#,
            r#""\u"#,
            r#""\"#,
            r"\ud83d",
            r#""\x""#,
            r#"{"a":"b"#,
            "",
        ] {
            assert_eq!(read(json.as_bytes()), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn valid_json_is_not_touched(text in "(\\PC|[\\\\\"u😀d8-9]){0,40}", escaped: bool) {
            let json = serde_json::to_string(&text).unwrap();
            let json = if escaped {
                let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
                format!("\"{}\"", units.collect::<String>())
            } else {
                json
            };
            prop_assert!(matches!(repaired(json.as_bytes()), Cow::Borrowed(_)));
            prop_assert_eq!(read(json.as_bytes()), Some(text));
        }

        /// The reference implementation reads the code units one by one.
        #[test]
        fn units_are_read_as_the_standard_library_reads_them(
            units in prop::collection::vec(
                prop_oneof![0xd7f0..0xe010_u16, 0x20..0x7f_u16, any::<u16>()],
                0..20,
            ),
        ) {
            let escaped: Vec<_> = units.iter().map(|unit| format!("\\u{unit:04X}")).collect();
            let text = read(format!("\"{}\"", escaped.concat()).as_bytes());
            prop_assert_eq!(text, Some(String::from_utf16_lossy(&units)));
        }

        #[test]
        fn no_bytes_are_too_odd(bytes: Vec<u8>, inside in "[\\\\ud8c0\"]{0,30}") {
            for bytes in [bytes, inside.into_bytes()] {
                let fixed = repaired(&bytes);
                prop_assert!(std::str::from_utf8(&fixed).is_ok());
                let before = serde_json::from_slice::<Value>(&bytes);
                if let Ok(before) = before {
                    prop_assert_eq!(serde_json::from_slice::<Value>(&fixed).ok(), Some(before));
                }
            }
        }
    }
}
