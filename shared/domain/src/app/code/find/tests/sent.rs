//! Changes that platforms, carriers and providers make to a text in transit.

use super::{CODE, NoCode, found};

#[test]
fn code_survives_what_is_done_to_a_text() {
    for (who, text) in [
        ("iOS, smart punctuation", "Sign in – CS–01ABCDEFGHJKMNPQ"),
        ("iOS, two hyphens", "CS—01ABCDEFGHJKMNPQ"),
        ("iOS, smart quotes", "“CS-01ABCDEFGHJKMNPQ”"),
        ("iOS, a reaction", "Liked “CS-01ABCDEFGHJKMNPQ”"),
        ("iOS, subject of an MMS", "<Code>\nCS-01ABCDEFGHJKMNPQ"),
        ("keyboard, first letter", "Cs-01abcdefghjkmnpq"),
        ("keyboard, space after a full stop", "CS-01ABCDEFGHJKMNPQ. "),
        (
            "keyboard, Japanese",
            "ＣＳ－０１ＡＢＣＤＥＦＧＨＪＫＭＮＰＱ",
        ),
        (
            "Android, signature",
            "CS-01ABCDEFGHJKMNPQ\n\nSent from my Galaxy",
        ),
        ("Android, forwarded", "Fwd: CS-01ABCDEFGHJKMNPQ"),
        ("mail gateway, quoted", "> CS-01ABCDEFGHJKMNPQ\n>\n> Bob"),
        (
            "mail gateway, signature",
            "CS-01ABCDEFGHJKMNPQ\r\n-- \r\nBob Smith, +1 202 555 0100",
        ),
        (
            "carrier, footer",
            "CS-01ABCDEFGHJKMNPQ\nReply STOP to opt out. Msg&data rates may apply",
        ),
        (
            "carrier, advertisement",
            "CS-01ABCDEFGHJKMNPQ *Free SMS by Example*",
        ),
        ("carrier, UCS-2", "Мой код: CS-01ABCDEFGHJKMNPQ спасибо"),
        (
            "carrier, Arabic with marks",
            "رمزي \u{200f}\u{202a}CS-01ABCDEFGHJKMNPQ\u{202c}\u{200e} شكرا",
        ),
        ("carrier, NUL at the end", "CS-01ABCDEFGHJKMNPQ\u{0}"),
        (
            "translation, no-break spaces",
            "CS-01AB\u{a0}CDEF\u{202f}GHJK\u{2009}MNPQ",
        ),
        (
            "translation, ideographic space",
            "CS-01ABCDEF\u{3000}GHJKMNPQ",
        ),
        (
            "translation, French quotes",
            "Mon code : «\u{a0}CS-01ABCDEFGHJKMNPQ\u{a0}»",
        ),
        ("copied, no-break hyphen", "CS\u{2011}01ABCDEFGHJKMNPQ"),
        ("copied, soft hyphen", "CS-01ABCDEF\u{ad}GHJKMNPQ"),
        (
            "copied, word joiner and mark",
            "\u{feff}CS-01ABCDEF\u{2060}GHJKMNPQ",
        ),
        ("link, plus for space", "Sign+in:+CS-01ABCDEFGHJKMNPQ"),
        ("link, encoded", "Sign%20in:%20CS%2D01ABCDEFGHJKMNPQ%0A"),
        (
            "concatenation, joined",
            "Sign in to the shop at Example Street: CS-01ABCDEFGHJKMNPQ, please",
        ),
        ("concatenation, break at the cut", "CS-01ABCDEF\r\nGHJKMNPQ"),
        ("WhatsApp, bold", "*CS-01ABCDEFGHJKMNPQ*"),
        ("WhatsApp, italic", "_CS-01ABCDEFGHJKMNPQ_"),
        ("WhatsApp, struck", "~CS-01ABCDEFGHJKMNPQ~"),
        ("WhatsApp, code", "```CS-01ABCDEFGHJKMNPQ```"),
        (
            "WhatsApp, isolated direction",
            "\u{2068}CS-01ABCDEFGHJKMNPQ\u{2069}",
        ),
        ("Vonage and Infobip, keyword kept", "CS-01ABCDEFGHJKMNPQ"),
        ("a person, emoji", "CS-01ABCDEFGHJKMNPQ👍🏽"),
        ("a person, by hand", "cs - o1ab cdef ghjk mnpq"),
        ("a person, without the hyphen", "CS01ABCDEFGHJKMNPQ"),
        (
            "a person, without the hyphen, in a sentence",
            "it is cs01abcdefghjkmnpq.",
        ),
        ("a person, a space for the hyphen", "CS 01ABCDEFGHJKMNPQ"),
        ("a person, two hyphens", "CS--01ABCDEFGHJKMNPQ"),
        ("a person, an underscore", "CS_01ABCDEFGHJKMNPQ"),
        ("a person, groups and hyphens", "CS-01AB-CDEF-GHJK-MNPQ"),
        ("a person, groups and dots", "CS.01AB.CDEF.GHJK.MNPQ."),
        ("a person, groups and underscores", "CS_01AB_CDEF_GHJK_MNPQ"),
        ("a person, groups of five", "cs 01abc - defgh - jkmnp - q"),
        (
            "a person, letter by letter",
            "C.S.-0.1.A.B.C.D.E.F.G.H.J.K.M.N.P.Q.",
        ),
        (
            "a person, twice",
            "CS-01ABCDEFGHJKMNPQ\nCS-01ABCDEFGHJKMNPQ",
        ),
    ] {
        assert_eq!(found(text).as_deref(), Ok(CODE), "{who}: {text:?}");
    }
}

#[test]
fn text_that_lost_its_code_is_refused() {
    for (who, text) in [
        ("Infobip, keyword cut off", "01ABCDEFGHJKMNPQ"),
        (
            "concatenation, a part is missing",
            "Sign in to Shop: CS-01ABCDEF",
        ),
        (
            "concatenation, counters in the middle",
            "(1/2) CS-01ABCDEF(2/2) GHJKMNPQ",
        ),
        (
            "concatenation, parts in the wrong order",
            "GHJKMNPQCS-01ABCDEF",
        ),
        (
            "carrier, footer without a space",
            "CS-01ABCDEFGHJKMNPQSent by Example",
        ),
        ("mail gateway, entity", "CS&#45;01ABCDEFGHJKMNPQ"),
        ("keyboard, corrected", "CSS-01ABCDEFGHJKMNPQ"),
        ("carrier, encoding lost", "CS-01ABCD\u{fffd}EFGHJKMNPQ7"),
        ("keyboard, letters of another script", "СЅ-01ABCDEFGHJKMNPQ"),
        ("opt-out", "STOP"),
        ("opt-out, in words", "please stop sending me codes"),
    ] {
        assert_eq!(found(text), Err(NoCode::Absent), "{who}: {text:?}");
    }
}
