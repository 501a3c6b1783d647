mod model;
mod sent;
mod steps;
mod typed;

use proptest::prelude::*;

use super::*;

fn prefixes() -> BTreeSet<CodePrefix> {
    set_of(&["CS", "SHOP"])
}

fn set_of(texts: &[&str]) -> BTreeSet<CodePrefix> {
    let prefixes = texts.iter().map(|text| text.parse::<CodePrefix>().unwrap());
    prefixes.collect()
}

fn found(text: &str) -> Result<String, NoCode> {
    find(text, &prefixes()).map(|code| code.spell(&CodePrefix::default()))
}

const CODE: &str = "CS-01ABCDEFGHJKMNPQ";

#[test]
fn code_is_found_in_real_texts() {
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
fn text_without_a_well_formed_code_is_refused() {
    for text in [
        "",
        "STOP",
        "HELP",
        "CS-",
        "CS-01ABCDEFGHJKMNP",
        "CS-01ABCDEFGHJKMNPQR",
        "XCS-01ABCDEFGHJKMNPQ",
        "CS01ABCDEFGHJKMNPQR",
        "CS-01AB-CDEF-GHJK-MNPQR",
        "CS.01AB.CDEF.GHJK.MNP",
        "CS-01ABCDEFGHJKMNPU",
        "AB-01ABCDEFGHJKMNPQ",
        "CS-01ABCDEFGHJKMNPQ٣",
        "CS-01ABCDEFGHJKMNPQ①",
        "CS-01ABCDEFGHJKMNPQﬁ",
        "éCS-01ABCDEFGHJKMNP",
        "CS%252D01ABCDEFGHJKMNPQ",
    ] {
        assert_eq!(found(text), Err(NoCode::Absent), "{text}");
    }
    assert_eq!(
        found(&format!("{CODE}{}", " ".repeat(MAX_TEXT_BYTES))),
        Err(NoCode::Absent)
    );
}

#[test]
fn text_with_two_codes_is_refused() {
    for text in [
        "CS-01ABCDEFGHJKMNPQ or CS-01ABCDEFGHJKMNPR",
        "CS01ABCDEFGHJKMNPQ or CS 01AB CDEF GHJK MNPR",
    ] {
        assert_eq!(found(text), Err(NoCode::Ambiguous), "{text}");
    }
}

#[test]
fn words_that_look_like_symbols_do_not_hide_the_code() {
    for text in [
        "Shop takes a nice secret: CS-01ABCDEFGHJKMNPQ",
        "My shop takes nice secret cs. CS-01ABCDEFGHJKMNPQ",
    ] {
        assert_eq!(found(text).as_deref(), Ok(CODE), "{text}");
    }
}

proptest! {
    #[test]
    fn search_never_panics(text in "\\PC{0,200}") {
        let _ = find(&text, &prefixes());
    }

    #[test]
    fn code_with_a_seventeenth_symbol_is_refused(bits: [u8; 10], extra in "[0-9A-Za-z]") {
        let spelt = Code(bits).spell(&CodePrefix::default());
        prop_assert_eq!(find(&format!("{spelt}{extra}"), &prefixes()), Err(NoCode::Absent));
    }
}
