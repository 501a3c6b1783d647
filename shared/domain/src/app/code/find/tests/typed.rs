//! Texts as people type, paste and dictate them.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::{ALPHABET, value_of};
use super::*;
use crate::primitives::typed_text::plain;

#[test]
fn code_is_found_beside_letters_of_other_scripts() {
    for text in [
        "CS-01ABCDEFGHJKMNPQです",
        "验证码CS-01ABCDEFGHJKMNPQ",
        "รหัสCS-01ABCDEFGHJKMNPQครับ",
        "認証コードCS-01ABCDEFGHJKMNPQを送信",
        "인증번호CS-01ABCDEFGHJKMNPQ입니다",
        "мойCS-01ABCDEFGHJKMNPQкод",
        "כדCS-01ABCDEFGHJKMNPQתודה",
        "CS-01ABCDEFGHJKMNPQé",
        "ßCS-01ABCDEFGHJKMNPQß",
        "ıCS-01ABCDEFGHJKMNPQı",
        "コードーCSー01ABCDEFGHJKMNPQー",
    ] {
        assert_eq!(found(text).as_deref(), Ok(CODE), "{text}");
    }
}

#[test]
fn punctuation_separates_the_parts_of_a_code() {
    for text in [
        "CS: 01ABCDEFGHJKMNPQ",
        "CS:01ABCDEFGHJKMNPQ",
        "(CS) 01ABCDEFGHJKMNPQ",
        "[CS] [01ABCDEFGHJKMNPQ]",
        "“CS” “01ABCDEFGHJKMNPQ”",
        "'CS-01AB' 'CDEF' 'GHJK' 'MNPQ'",
        "CS, 01AB, CDEF, GHJK, MNPQ",
        "CS-01AB,CDEF,GHJK,MNPQ",
        "CS/01AB/CDEF/GHJK/MNPQ",
        "CS·01AB·CDEF·GHJK·MNPQ",
        "CS・01AB・CDEF・GHJK・MNPQ",
        "CSㆍ01ABㆍCDEFㆍGHJKㆍMNPQ",
        "CS•01AB•CDEF•GHJK•MNPQ",
        "CSー01ABCDEFGHJKMNPQ",
        "ＣＳｰ０１ＡＢＣＤＥＦＧＨＪＫＭＮＰＱ",
        "CS一01ABCDEFGHJKMNPQ",
        "CSㅡ01ABCDEFGHJKMNPQ",
        "CSـ01ABCDEFGHJKMNPQ",
        "CS＿01ABCDEFGHJKMNPQ",
        "CS：01AB、CDEF，GHJK。MNPQ",
        "CS~01ABCDEFGHJKMNPQ",
        "CS´01ABCDEFGHJKMNPQ",
        "CS|01AB|CDEF|GHJK|MNPQ",
        "CS=01ABCDEFGHJKMNPQ",
        "CS+01AB+CDEF+GHJK+MNPQ",
        "CS?01ABCDEFGHJKMNPQ",
        "CS\u{fffd}01ABCDEFGHJKMNPQ",
        "CS…01ABCDEFGHJKMNPQ",
        "CS#01ABCDEFGHJKMNPQ",
        "*CS*-*01ABCDEFGHJKMNPQ*",
        "_CS_ _01AB_ _CDEF_ _GHJK_ _MNPQ_",
        "~CS-01ABCDEFGHJKMNPQ~",
        "`CS-01ABCDEFGHJKMNPQ`",
        "||CS-01ABCDEFGHJKMNPQ||",
        "> CS-01AB\n> CDEFGHJKMNPQ",
        "CS-01ABCDEF=\r\nGHJKMNPQ",
        "CS-01ABCDEF. GHJKMNPQ",
    ] {
        assert_eq!(found(text).as_deref(), Ok(CODE), "{text}");
    }
}

#[test]
fn dictated_code_is_found() {
    for text in [
        "CS dash 01ABCDEFGHJKMNPQ",
        "Cs Dash 01ab cdef ghjk mnpq",
        "C S dash 0 1 A B C D E F G H J K M N P Q.",
        "CS hyphen 01ABCDEFGHJKMNPQ",
        "CS minus 01ABCDEFGHJKMNPQ",
        "CS Bindestrich 01ABCDEFGHJKMNPQ",
        "CS tiret 01AB tiret CDEF tiret GHJK tiret MNPQ",
        "CS guión 01AB CDEF GHJK MNPQ",
        "CS trattino 01ABCDEFGHJKMNPQ",
        "CS meno 01ABCDEFGHJKMNPQ",
        "CS menos 01ABCDEFGHJKMNPQ",
        "CS moins 01AB moins CDEF moins GHJK moins MNPQ",
        "CSマイナス01ABCDEFGHJKMNPQ",
        "CS hífen 01ABCDEFGHJKMNPQ",
        "CSハイフン01ABCDEFGHJKMNPQです",
        "CS شرطة 01ABCDEFGHJKMNPQ",
        "CS-01AB dash CDEF dash GHJK dash MNPQ",
        "My code is CS dash 01ABCDEFGHJKMNPQ. Thanks, Dash",
    ] {
        assert_eq!(found(text).as_deref(), Ok(CODE), "{text}");
    }
    for text in [
        "CSdash01ABCDEFGHJKMNPQ",
        "CS dash01ABCDEFGHJKMNPQ",
        "CS dash 01ABCDEFGHJKMNPQR",
        "CS dashes 01ABCDEFGHJKMNPQ",
    ] {
        assert_eq!(found(text), Err(NoCode::Absent), "{text}");
    }
    let two = "CS-01ABCDEFGHJKMNPQ or CS dash 01ABCDEFGHJKMNPR";
    assert_eq!(found(two), Err(NoCode::Ambiguous));
}

#[test]
fn dash_may_be_a_part_of_the_code() {
    for text in [
        "CS-DASH01ABCDEFGHJK",
        "CS DASH 01AB CDEF GHJK",
        "CS-01AB-DASH-CDEF-GHJK",
        "CS 01AB CDEF GHJK DASH",
        "CS - HYPHEN 01AB TIRET",
    ] {
        let symbols: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        if symbols.len() == 18 {
            let spelt = format!("CS-{}", &symbols[2..]);
            assert_eq!(found(text).as_deref(), Ok(&spelt[..]), "{text}");
        }
    }
}

#[test]
fn words_before_the_code_do_not_hide_it() {
    for text in [
        "Shop - shop 24 at the station: CS-01AB CDEF GHJK MNPQ",
        "CS – Shop24, CS-01AB CDEF GHJK MNPQ",
        "Shop. CS 01AB, CDEF, GHJK, MNPQ",
    ] {
        assert_eq!(found(text).as_deref(), Ok(CODE), "{text}");
    }
}

#[test]
fn link_with_a_code_is_read_as_a_text() {
    for (text, expected) in [
        (
            "https://shop.example/?code=CS-01ABCDEFGHJKMNPQ&x=1",
            Ok(CODE),
        ),
        ("https://shop.example/CS-01ABCDEFGHJKMNPQ/", Ok(CODE)),
        ("sms:+12025550199?body=CS%2D01ABCDEFGHJKMNPQ", Ok(CODE)),
        (
            "sms:+12025550199?body=CS-01ABCDEFGHJKMNPQ%20%F0%9F%91%8D",
            Ok(CODE),
        ),
        (
            "https://wa.me/12025550199?text=Shop%3A%20CS-01ABCDEFGHJKMNPQ",
            Ok(CODE),
        ),
        (
            "https://shop.example/CS-01ABCDEFGHJKMNPQ7",
            Err(NoCode::Absent),
        ),
        (
            "https://shop.example/CS%252D01ABCDEFGHJKMNPQ",
            Err(NoCode::Absent),
        ),
        (
            "https://shop.example/docsCS-01ABCDEFGHJKMNPQ",
            Err(NoCode::Absent),
        ),
    ] {
        assert_eq!(found(text).as_deref(), expected.as_deref(), "{text}");
    }
}

/// The digit zero in scripts that write digits from left to right and from right to left, and its
/// full-width form.
const ZEROS: &str = "0٠۰߀०০๐༠၀០᠐０𞥐";

/// Writes a symbol in one of the ways in which it may arrive.
fn disguise(symbol: char, form: u8, zero: char) -> String {
    let look_alike = match (symbol, form % 3) {
        ('0', 1) => 'o',
        ('1', 1) => 'i',
        ('1', 2) => 'L',
        (other, 1) => other.to_ascii_lowercase(),
        (other, _) => other,
    };
    let written = match (look_alike.to_digit(10), form / 3 % 4) {
        (Some(digit), 1 | 2) => char::from_u32(u32::from(zero) + digit),
        (None, 1) => char::from_u32(u32::from(look_alike) + 0xFEE0),
        _ => None,
    };
    written.unwrap_or(look_alike).to_string()
}

/// Separators that people and programs put between two symbols.
fn between() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        12 => Just(""),
        1 => select(vec![
            " ", "-", ".", "_", ",", ", ", "/", "·", "・", "'", "”", "“", " – ", "ー", "\n", "\r\n> ", "=\r\n",
            "\u{a0}", "\u{2011}", "\u{200b}", "\u{202c}", "\u{fe0f}", "\u{2060}", "\u{ad}", "*", "~", "`", "|",
            ":", ") (", "…", "\u{fffd}", "\0",
        ]),
    ]
}

/// Substitutes for the hyphen.
const HYPHENS: [&str; 30] = [
    "-",
    "–",
    "—",
    "\u{2212}",
    "\u{2010}",
    "\u{2011}",
    " - ",
    "－",
    "--",
    "_",
    " ",
    ".",
    "",
    "- ",
    ": ",
    "：",
    ") ",
    "” ",
    ", ",
    "/",
    "·",
    "ー",
    "ｰ",
    "・",
    " dash ",
    " Hyphen ",
    " guión ",
    "ハイフン",
    "*-",
    "\u{fffd}",
];

/// Beginnings of texts, directly before the code.
const BEFORE: [&str; 20] = [
    "",
    "My code: ",
    "验证码",
    "รหัส",
    "コードは",
    "код",
    "> ",
    "Liked “",
    "👍 to “ ",
    "*",
    "_",
    "~",
    "```",
    "<",
    "\u{202a}",
    "\u{feff}",
    "(1/1) ",
    "Re: ",
    "¿",
    "RE-SEND.\n",
];

/// Ends of texts, directly after the code.
const AFTER: [&str; 18] = [
    "",
    " thanks!",
    "です",
    "ครับ",
    "。",
    "”",
    "*",
    "_",
    "~",
    "```",
    ">",
    "\u{202c}",
    "\0",
    "\n-- \nBob",
    "…",
    ". Sent from my phone",
    "é",
    "👍🏽",
];

const ENCODE_ALL: percent_encoding::AsciiSet = percent_encoding::CONTROLS.complement();

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn every_code_is_found_in_every_disguise(
        bits: [u8; 10],
        forms: [u8; SYMBOLS],
        gaps in proptest::collection::vec(between(), SYMBOLS - 1),
        zero in select(ZEROS.chars().collect::<Vec<_>>()),
        hyphen in select(HYPHENS.to_vec()),
        before in select(BEFORE.to_vec()),
        after in select(AFTER.to_vec()),
    ) {
        let code = Code(bits);
        let symbols = code.symbols();
        // The symbols could contain another prefix or a word for a dash.
        prop_assume!(!["CS", "DASH", "M1N", "MEN0"].iter().any(|word| symbols.contains(word)));
        let written: Vec<String> =
            symbols.chars().zip(forms).map(|(symbol, form)| disguise(symbol, form, zero)).collect();
        let mut text = format!("{before}Cs{hyphen}{}", written[0]);
        for (gap, symbol) in gaps.iter().zip(&written[1..]) {
            text.push_str(gap);
            text.push_str(symbol);
        }
        text.push_str(after);
        prop_assert_eq!(find(&text, &prefixes()), Ok(code.clone()), "{:?}", text);
        let encoded = percent_encoding::percent_encode(text.as_bytes(), &ENCODE_ALL).to_string();
        prop_assert_eq!(find(&encoded, &prefixes()), Ok(code), "{:?}", text);
    }

    /// The symbols of a found code occur in the text in this order after its prefix, separated only
    /// by separators and words for dashes.
    #[test]
    fn code_that_is_found_is_there(text in text_like_a_code()) {
        let Ok(code) = find(&text, &prefixes()) else { return Ok(()) };
        let decoded = percent_encoding::percent_decode_str(&text).decode_utf8();
        let decoded = decoded.unwrap_or(text.as_str().into());
        let kept = |text: &str| -> String {
            let letters = plain(text).filter(char::is_ascii_alphanumeric);
            letters.map(|c| c.to_ascii_uppercase()).map(|c| match value_of(c) {
                Some(value) => char::from(ALPHABET[usize::from(value)]),
                None => c,
            }).collect()
        };
        let text = kept(&decoded);
        let without_words = ["DASH", "HYPHEN", "M1NUS", "MEN0"].iter().fold(text.clone(), |text, word| text.replace(word, ""));
        let symbols = code.symbols();
        let is_there = ["CS", "SH0P"].iter().any(|prefix| {
            [&text, &without_words].iter().any(|text| text.contains(&format!("{prefix}{symbols}")))
        });
        prop_assert!(is_there, "{:?}", symbols);
    }
}

/// Generates random texts from the parts that codes consist of.
fn text_like_a_code() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select(vec![
            "CS", "CS-", "cs ", "Shop: ", "shop", "-", " ", ", ", "です", " dash ", "hyphen ", "٣",
            "%2D", "U"
        ])
        .prop_map(str::to_owned),
        "[0-9A-HJKMNP-TV-Z]{1,16}",
        "[0-9A-HJKMNP-TV-Z]{16}",
        "[0-9a-z]{4} ",
        "\\PC{0,2}",
    ];
    proptest::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}
