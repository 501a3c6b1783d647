//! A reference model of the search that tries each prefix at each position: slow, but easy to
//! verify.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use proptest::sample::select;
use unicode_normalization::char::is_combining_mark;

use super::super::clean::DASH_WORDS;
use super::super::{CodePrefix, NoCode, SYMBOLS, find, value_of};
use super::{CODE, set_of};
use crate::app::code::Code;
use crate::primitives::typed_text::{is_dash, is_separator, plain};

fn find_by_trying_everything(text: &str, prefixes: &BTreeSet<CodePrefix>) -> Result<Code, NoCode> {
    let text = plain_characters(text);
    match find_in(&with_dashes_for_words(&text), prefixes) {
        Err(NoCode::Absent) => find_in(&text, prefixes),
        found => found,
    }
}

/// A code in a text, from the first letter of its prefix to its last symbol.
struct Reading {
    code: Code,
    start: usize,
    end: usize,
    has_dash: bool,
}

fn find_in(text: &[char], prefixes: &BTreeSet<CodePrefix>) -> Result<Code, NoCode> {
    let mut readings = Vec::new();
    for start in 0..text.len() {
        if start > 0 && text[start - 1].is_ascii_alphanumeric() {
            continue;
        }
        for prefix in prefixes {
            readings.extend(code_at(text, start, prefix));
        }
    }
    let issued = one_of(readings.iter().filter(|it| it.has_dash));
    match issued {
        Err(NoCode::Absent) => one_of(readings.iter().filter(|it| !it.has_dash)),
        found => found,
    }
}

fn one_of<'a>(readings: impl Iterator<Item = &'a Reading>) -> Result<Code, NoCode> {
    let mut readings: Vec<_> = readings.collect();
    // The shortest of several prefixes that end at the same place comes last.
    readings.sort_by_key(|it| (it.end, it.start));
    let mut codes: Vec<&Code> = Vec::new();
    let mut last_end = None;
    for reading in readings {
        if last_end.is_some_and(|end| reading.start <= end) {
            codes.pop();
        }
        codes.push(&reading.code);
        last_end = Some(reading.end);
    }
    match &codes[..] {
        [] => Err(NoCode::Absent),
        [first, rest @ ..] if rest.iter().all(|code| code == first) => Ok((*first).clone()),
        _ => Err(NoCode::Ambiguous),
    }
}

/// Normalizes the text: decodes percent-encoding, folds case, compatibility forms and dashes, and removes invisible characters.
fn plain_characters(text: &str) -> Vec<char> {
    let decoded = percent_decode_str(text)
        .decode_utf8()
        .unwrap_or(text.into());
    let mut characters: Vec<char> = Vec::new();
    for c in plain(&decoded) {
        let is_alone = characters.last().is_none_or(|last| is_separator(*last));
        let capitals: Vec<_> = c.to_uppercase().collect();
        characters.push(match capitals[..] {
            _ if is_dash(c) => '-',
            _ if is_separator(c) || (is_alone && is_combining_mark(c)) => ' ',
            [capital] if is_dash(capital) => '-',
            [capital] if c.is_ascii() || !capital.is_ascii() => capital,
            _ => c,
        });
    }
    characters
}

fn with_dashes_for_words(text: &[char]) -> Vec<char> {
    let mut replaced = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest: String = text[at..].iter().collect();
        let word = DASH_WORDS.into_iter().find(|word| {
            let before = at.checked_sub(1).map(|before| text[before]);
            let after = rest.strip_prefix(word).map(|rest| rest.chars().next());
            let touches = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
            let is_latin = word.starts_with(|c: char| c.is_ascii());
            after.is_some_and(|after| !is_latin || !(touches(before) || touches(after)))
        });
        replaced.push(if word.is_some() { '-' } else { text[at] });
        at += word.map_or(1, |word| word.chars().count());
    }
    replaced
}

/// Returns the code whose prefix begins exactly at `start`, if any.
fn code_at(text: &[char], start: usize, prefix: &CodePrefix) -> Option<Reading> {
    let mut rest = text
        .iter()
        .copied()
        .enumerate()
        .skip(start)
        .filter(|(_, c)| !is_separator(*c));
    let mut prefix_end = start;
    for letter in prefix.as_str().chars() {
        let (at, character) = rest.next()?;
        if character != letter {
            return None;
        }
        prefix_end = at;
    }
    if !text[start].is_ascii_alphanumeric() {
        return None;
    }
    let mut values = [0; SYMBOLS];
    let (mut first, mut end) = (None, 0);
    for value in &mut values {
        let (at, symbol) = rest.next()?;
        *value = value_of(symbol)?;
        first = first.or(Some(at));
        end = at;
    }
    let has_dash = text[prefix_end..first?].contains(&'-');
    match text.get(end + 1) {
        Some(next) if next.is_ascii_alphanumeric() => None,
        _ => Some(Reading {
            code: Code::from_values(values),
            start,
            end,
            has_dash,
        }),
    }
}

/// Prefixes that contain, begin or end with one another.
const PREFIXES: [&str; 8] = [
    "CS", "ACS", "SHOP", "HOP", "OP", "XXXXXXXX", "XXXXXXX", "CSCSCS",
];

/// Fragments of complete and broken codes, and of the texts around them.
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
        "ー",
        "・",
        ",",
        "\u{b4}",
        "٠١",
        "𑛚",
        "です",
        " dash ",
        "Dash",
        "hyphen",
        "guión ",
        "CS dash ",
        "CS-01AB dash ",
        "ハイフン",
        "CS - 01AB CDEF GHJ ",
        "ŉ",
    ]);
    prop_oneof![
        8 => known.prop_map(str::to_owned),
        2 => "[ ._,/*>-]{1,9}",
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
        (format!("CS dash {symbols}"), true),
        (format!("CS-DASH{}", &symbols[4..]), true),
        (format!("CS DASH {}", &symbols[4..]), true),
        (format!("CSダッシュ{symbols}です"), true),
        (format!("Op - shop 24: CS-{}", "01AB CDEF GHJK MNPQ"), true),
    ] {
        let expected = find_by_trying_everything(&text, &prefixes);
        assert_eq!(find(&text, &prefixes), expected, "{text}");
        assert_eq!(expected.is_ok(), found, "{text}");
    }
}
