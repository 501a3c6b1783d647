//! A model of the search that tries each prefix at each position: slow, but easy to believe.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use proptest::sample::select;
use unicode_normalization::UnicodeNormalization;

use super::super::clean::{is_dash, is_invisible, is_separator};
use super::super::{CodePrefix, NoCode, SYMBOLS, find, value_of};
use super::{CODE, set_of};
use crate::app::code::Code;

fn find_by_trying_everything(text: &str, prefixes: &BTreeSet<CodePrefix>) -> Result<Code, NoCode> {
    let plain = plain_characters(text);
    let (mut issued, mut typed) = (Vec::new(), Vec::new());
    for start in 0..plain.len() {
        if start > 0 && plain[start - 1].is_alphanumeric() {
            continue;
        }
        for prefix in prefixes {
            match code_at(&plain[start..], prefix) {
                Some((code, true)) => issued.push(code),
                Some((code, false)) => typed.push(code),
                None => {}
            }
        }
    }
    let found = if issued.is_empty() { typed } else { issued };
    match &found[..] {
        [] => Err(NoCode::Absent),
        [first, rest @ ..] if rest.iter().all(|code| code == first) => Ok(first.clone()),
        _ => Err(NoCode::Ambiguous),
    }
}

/// Returns the text without percent-encoding, compatibility forms, invisible characters, case and
/// varieties of dashes.
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

/// Returns the code that begins exactly at the start of `text`, if there is one, and whether a dash
/// stands after its prefix.
fn code_at(text: &[char], prefix: &CodePrefix) -> Option<(Code, bool)> {
    let mut rest = text
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, c)| *c != '-' && !is_separator(*c));
    let mut end = 0;
    for letter in prefix.as_str().chars() {
        let (at, character) = rest.next()?;
        if character != letter {
            return None;
        }
        end = at;
    }
    if text.first().is_some_and(|c| !c.is_alphanumeric()) {
        return None;
    }
    let mut values = [0; SYMBOLS];
    let (mut first, mut last) = (None, 0);
    for value in &mut values {
        let (at, symbol) = rest.next()?;
        *value = value_of(symbol)?;
        first = first.or(Some(at));
        last = at;
    }
    let has_dash = text[end..first?].contains(&'-');
    match text.get(last + 1) {
        Some(next) if next.is_alphanumeric() => None,
        _ => Some((Code::from_values(values), has_dash)),
    }
}

/// Prefixes that end, begin and continue one another.
const PREFIXES: [&str; 8] = [
    "CS", "ACS", "SHOP", "HOP", "OP", "XXXXXXXX", "XXXXXXX", "CSCSCS",
];

/// Pieces of codes, whole and broken, and of the texts around them.
fn piece() -> impl Strategy<Value = String> {
    let known = select(vec![
        CODE,
        "CS-01ABCDEFGHJKMNPR",
        "01ABCDEFGHJKMNPQ",
        "01ABCDEF",
        "CS-",
        "cs",
        "CS",
        "A",
        "SHOP",
        "hop-",
        "XXXXXXXX-",
        "X",
        "-",
        ".",
        "_",
        "\u{2014}",
        "%2D",
        "%20",
        "%",
        " ",
        "\n",
        "\u{3000}",
        "\u{200B}",
        "ß",
        "\u{FB06}",
        "é",
        "\u{301}",
        "٣",
        "\u{FDFA}",
        "0",
        "O",
        "U",
        ":",
        "ＣＳ－",
    ]);
    prop_oneof![
        8 => known.prop_map(str::to_owned),
        2 => "[ ._-]{1,9}",
        1 => "\\PC{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn search_finds_what_the_model_finds(
        pieces in proptest::collection::vec(piece(), 0..16),
        chosen in proptest::sample::subsequence(PREFIXES.to_vec(), 0..=PREFIXES.len()),
    ) {
        let (text, prefixes) = (pieces.concat(), set_of(&chosen));
        let expected = find_by_trying_everything(&text, &prefixes);
        prop_assert_eq!(find(&text, &prefixes), expected, "{:?}", text);
    }
}

/// The random texts above are useful only if many of them contain codes.
#[test]
fn prefixes_that_contain_each_other_are_distinguished() {
    let prefixes = set_of(&PREFIXES);
    let symbols = &CODE[3..];
    for (text, found) in [
        (format!("HOP-{symbols}"), true),
        (format!("S HOP-{symbols}"), true),
        (format!("SH OP-{symbols}"), true),
        (format!("LOP-{symbols}"), false),
        (format!("L OP-{symbols}"), true),
        (format!("XXXXXXXXX-{symbols}"), false),
        (format!("X XXXXXXXX-{symbols}"), true),
        (format!("-CS-{symbols}"), true),
        (format!("CS-CS-{symbols}"), true),
        (format!("CS--{symbols}"), true),
        (format!("CS{symbols}"), true),
        (format!("CSCS{symbols}"), false),
        (format!("CSCSCS{symbols}"), true),
        (format!("CS-{symbols}-{symbols}"), true),
        (format!("CS-01AB-{symbols}"), false),
        (format!("CS-{symbols} A"), true),
        (format!("CS-{symbols}A"), false),
    ] {
        let expected = find_by_trying_everything(&text, &prefixes);
        assert_eq!(find(&text, &prefixes), expected, "{text}");
        assert_eq!(expected.is_ok(), found, "{text}");
    }
}
