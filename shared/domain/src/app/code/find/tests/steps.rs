//! How much is read of a text to find a code in it.

use super::super::clean::CleanText;
use super::*;

/// Each character is read once in the search for hyphens, at most once as a symbol, and where 16
/// symbols follow a hyphen a few are read again around it.
const MAX_READS_A_CHARACTER: usize = 4;

fn reads(text: &str, prefixes: &BTreeSet<CodePrefix>) -> (usize, usize) {
    let clean = CleanText::of(text);
    let _ = find_in(&clean, prefixes);
    (clean.reads.get(), clean.len())
}

/// As many prefixes as one wishes: of five letters, each another.
fn many(count: u32) -> BTreeSet<CodePrefix> {
    let letter = |n: u32| char::from(b'A' + u8::try_from(n % 26).unwrap());
    let word = |n: u32| (0..5).map(|place| letter(n / 26_u32.pow(place))).collect();
    let prefixes = (0..count).map(|n| {
        ({
            let text: String = word(n);
            text
        })
        .parse::<CodePrefix>()
        .unwrap()
    });
    let prefixes: BTreeSet<_> = prefixes.chain(super::prefixes()).collect();
    assert_eq!(prefixes.len(), usize::try_from(count).unwrap() + 2);
    prefixes
}

#[test]
fn each_character_is_read_a_few_times_whatever_text_and_prefixes() {
    let symbols = &CODE[3..];
    for piece in [
        " ".to_owned(),
        "\u{3000}".to_owned(),
        "-".to_owned(),
        "- ".to_owned(),
        "CS".to_owned(),
        "C S -".to_owned(),
        "CS-01ABCDEFGHJKMNP".to_owned(),
        "CS-01ABCDEFGHJKMNPU".to_owned(),
        format!("{CODE} "),
        format!("{CODE}X"),
        format!("-{symbols}"),
        format!("XXXXXXXXX-{symbols}"),
        "%2D0".to_owned(),
        "\u{FDFA}".to_owned(),
    ] {
        let longest = piece.repeat(MAX_TEXT / piece.len());
        for prefixes in [many(0), many(51), many(5_000)] {
            let (reads, length) = reads(&longest, &prefixes);
            let bound = MAX_READS_A_CHARACTER * (length + SYMBOLS);
            assert!(reads <= bound, "{piece:?}: {reads} reads of {length}");
        }
    }
}

#[test]
fn blanks_are_not_read_at_all() {
    assert_eq!(reads(&" ".repeat(MAX_TEXT), &many(51)), (0, 0));
}

#[test]
fn more_prefixes_cost_no_more_reads() {
    let text = format!("QQQQQQQQ-{}", &CODE[3..]).repeat(300);
    assert_eq!(reads(&text, &many(51)), reads(&text, &many(5_000)));
}
