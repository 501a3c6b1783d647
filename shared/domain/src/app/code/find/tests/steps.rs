//! Limits on how often the search reads each character.

use super::super::clean::CleanText;
use super::*;

/// Each character is read once, and again where it may follow a code. Where 16 symbols end, the
/// longest prefix before them is read: each letter and the gap before it.
const MAX_READS_A_CHARACTER: usize = 4 + 3 * MAX_LETTERS;
/// At each character, the search looks for words for a dash: at most five begin with the same
/// letter.
const MAX_READS_FOR_WORDS: usize = 32;

/// Counts the characters read in a text as it is, and in the text with words replaced by dashes.
fn reads(text: &str, prefixes: &BTreeSet<CodePrefix>) -> (usize, usize) {
    let clean = CleanText::from_text(text);
    let _ = find_in(&clean, prefixes);
    (clean.reads.get(), clean.len())
}

fn reads_of_words(text: &str) -> (usize, usize) {
    let clean = CleanText::from_text(text);
    let spoken = clean.with_spoken_dashes();
    assert!(spoken.is_none_or(|spoken| spoken.len() < clean.len()));
    (clean.reads.get(), clean.len())
}

/// Returns `count` different prefixes of six letters, and the common ones.
fn many(count: u32) -> BTreeSet<CodePrefix> {
    let letter = |n: u32| char::from(b'A' + u8::try_from(n % 26).unwrap());
    let word = |n: u32| -> String {
        let letters = (0..5).map(|place| letter(n / 26_u32.pow(place)));
        format!("W{}", letters.collect::<String>())
    };
    let prefixes = (0..count).map(|n| word(n).parse::<CodePrefix>().unwrap());
    let prefixes: BTreeSet<_> = prefixes.chain(super::prefixes()).collect();
    assert_eq!(prefixes.len(), usize::try_from(count).unwrap() + 2);
    prefixes
}

#[test]
fn each_character_is_read_a_bounded_number_of_times() {
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
        "A ".to_owned(),
        "C.S.".to_owned(),
        format!("{CODE} "),
        format!("{CODE}X"),
        format!("-{symbols}"),
        format!("XXXXXXXXX-{symbols}"),
        "%2D0".to_owned(),
        "\u{FDFA}".to_owned(),
        "TRATTIN".to_owned(),
        "MENO".to_owned(),
        "dash ".to_owned(),
        "TIRET,TRATTINO,TRACO".to_owned(),
        "CS dash 01AB hyphen ".to_owned(),
        "\u{11A1}\u{E0100}".to_owned(),
    ] {
        let longest = piece.repeat(MAX_TEXT_BYTES / piece.len());
        let (of_words, length) = reads_of_words(&longest);
        let bound = MAX_READS_FOR_WORDS * (length + SYMBOLS);
        assert!(of_words <= bound, "{piece:?}: {of_words} reads of {length}");
        for prefixes in [many(0), many(51), many(5_000)] {
            let (reads, length) = reads(&longest, &prefixes);
            let bound = MAX_READS_A_CHARACTER * (length + SYMBOLS);
            assert!(reads <= bound, "{piece:?}: {reads} reads of {length}");
        }
    }
}

#[test]
fn blanks_are_never_read() {
    assert_eq!(reads(&" ".repeat(MAX_TEXT_BYTES), &many(51)), (0, 0));
}

#[test]
fn number_of_prefixes_does_not_change_the_number_of_reads() {
    let text = format!("QQQQQQQQ-{}", &CODE[3..]).repeat(300);
    assert_eq!(reads(&text, &many(51)), reads(&text, &many(5_000)));
}
