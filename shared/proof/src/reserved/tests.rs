//! However it is spelled, a proof's header is never signed as data.

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
use proptest::prelude::*;

use super::*;
use crate::header::{self, Form};
use countersign_domain::login::KeyId;

const KID: &str = "xx0BcA-wMohw8atYDJOe6peGModklG2wRHBlXHMvl0M";

fn input(header: impl AsRef<[u8]>) -> String {
    format!(
        "{}.eyJhY3QiOiJjb25maXJtIn0",
        BASE64_URL_SAFE_NO_PAD.encode(header)
    )
}

fn json(typ: &str) -> String {
    format!(r#"{{"alg":"ES256","kid":"{KID}","typ":"{typ}"}}"#)
}

#[test]
fn header_of_a_proof_is_reserved() {
    let key = KeyId::from_bytes([7; 32]);
    for form in [Form::JWT, Form::PASSKEY] {
        assert!(is_reserved(&format!("{}.x", header::write(key, form))));
    }
    assert!(is_reserved(&input(json("countersign-login+jwt"))));
}

#[test]
fn white_space_and_byte_order_marks_do_not_hide_a_header() {
    let json = json("countersign-login+jwt");
    for before in [
        " ",
        "\n",
        "\r\n\t ",
        "\u{b}\u{c}",
        "\u{feff}",
        "\u{feff} \u{feff}",
        " \u{feff}",
    ] {
        assert!(is_reserved(&input(format!("{before}{json}"))), "{before:?}");
    }
    assert!(is_reserved(&input(
        json.replace('{', "{ \r\n\t").replace(':', " : ")
    )));
    assert!(is_reserved(&input(
        "{\n \"typ\":\"\\u0063ountersign-login+jwt\"}"
    )));
    for data in [" ", "\n", "\t", "\u{feff}", "\u{a0}"] {
        assert!(
            is_reserved(&format!("{data}{}", input(&json))),
            "{data:?} before the header"
        );
        let split = input(&json);
        assert!(
            is_reserved(&format!("{}{data}{}", &split[..9], &split[9..])),
            "{data:?} inside"
        );
    }
}

#[test]
fn every_case_is_reserved() {
    for typ in [
        "Countersign-Login+JWT",
        "COUNTERSIGN-LOGIN+JWT",
        "application/countersign-login+jwt",
        "countersign-login",
        "countersign-login/2+jwt",
    ] {
        assert!(is_reserved(&input(json(typ))), "{typ}");
    }
}

#[test]
fn escapes_are_reserved() {
    for typ in [
        r"\u0063ountersign-login+jwt",
        r"countersign\u002dlogin+jwt",
        r"countersign\u002Dlogin+jwt",
        r"application\/jwt",
        r"\u004a\u0057\u0054",
    ] {
        assert!(is_reserved(&input(json(typ))), "{typ}");
        assert!(
            is_reserved(&input(format!("\u{feff} {}", json(typ)))),
            "{typ}"
        );
    }
    assert!(
        is_reserved(&input(r#"{"t\u0079p":"x"}"#)),
        "an escaped name"
    );
}

#[test]
fn escapes_for_readers_of_more_than_json_are_reserved() {
    for header in [
        r#"{typ:"\u0063ountersign-login+jwt"}"#,
        r"{'typ':'countersign\u002Dlogin+jwt'}",
        r#"{/**/"typ":"countersig\u006e-login+jwt"}"#,
        "# a comment\n{\"typ\":\"\\u0063ountersign-login+jwt\"}",
    ] {
        assert!(is_reserved(&input(header)), "{header}");
    }
    assert!(!is_reserved(&input(r"a backslash: \ and \u and \u00")));
}

#[test]
fn every_base64_is_reserved() {
    // The word occurs at each offset, and the text has characters that the alphabets encode
    // differently.
    for filler in ["", "~", "~?", "~?>", "ÿÿ>?"] {
        let json = format!(r#"{{"x":"{filler}","typ":"countersign-login+jwt"}}"#);
        for encoded in [
            BASE64_STANDARD.encode(&json),
            BASE64_URL_SAFE.encode(&json),
            BASE64_URL_SAFE_NO_PAD.encode(&json),
        ] {
            let lines = encoded
                .as_bytes()
                .chunks(7)
                .map(|line| std::str::from_utf8(line).unwrap());
            let lines: Vec<&str> = lines.collect();
            for spelled in [
                encoded.clone(),
                lines.join("\r\n"),
                lines.join("%"),
                lines.join("é"),
                format!("{encoded}===="),
                format!("{encoded}A"),
                format!("={encoded}"),
            ] {
                assert!(is_reserved(&format!("{spelled}.e30")), "{spelled}");
            }
        }
    }
}

#[test]
fn padding_inside_does_not_hide_a_header() {
    let json = json("countersign-login+jwt");
    for at in 1..json.len() {
        let (start, end) = json.split_at(at);
        let [start, end] = [start, end].map(|part| BASE64_URL_SAFE.encode(part));
        assert!(is_reserved(&format!("{start}{end}.e30")), "split at {at}");
    }
    let encoded = BASE64_URL_SAFE_NO_PAD.encode(&json);
    for at in 1..encoded.len() {
        let (start, end) = encoded.split_at(at);
        assert!(
            is_reserved(&format!("{start}={end}.e30")),
            "padding at {at}"
        );
    }
}

#[test]
fn other_text_encodings_are_reserved() {
    for typ in ["countersign-login+jwt", r"\u0063ountersign-login+jwt"] {
        let json = json(typ);
        for marked in [json.clone(), format!("\u{feff}{json}")] {
            let utf_16 = marked.encode_utf16();
            let little: Vec<u8> = utf_16.clone().flat_map(u16::to_le_bytes).collect();
            let big: Vec<u8> = utf_16.flat_map(u16::to_be_bytes).collect();
            let utf_32: Vec<u8> = marked
                .chars()
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect();
            for encoded in [little, big, utf_32] {
                assert!(is_reserved(&input(encoded)), "{marked}");
            }
        }
    }
}

#[test]
fn usual_data_is_not_reserved() {
    for data in [
        "",
        ".",
        "a",
        "hello. world",
        "zoe@example.com",
        "www.example.com",
        "1767323045678.5",
        "countersign-association-key/1\ncs_app_0123456789abcdefABCDEF\nzoe@example.com",
        // Plain text that contains the word, without Base64.
        "countersign-login\nqrs_5d0c8e2f6a914b7d9c3e0f1a2b4c6d8e\nhttps://shop.example",
        r#"{"publicUserId":"zoe@example.com","typ":"countersign-login+jwt"}"#,
        // Other JWTs.
        "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.e30",
        // Without a dot it is not a signing input.
        "eyJ0eXAiOiJjb3VudGVyc2lnbi1sb2dpbitqd3QifQ",
    ] {
        assert!(!is_reserved(data), "{data}");
    }
}

#[test]
fn huge_data_is_judged() {
    assert!(!is_reserved(&"A".repeat(1 << 20)));
    assert!(is_reserved(&format!(
        "{}{}",
        " ".repeat(1 << 20),
        input(json("countersign-login+jwt"))
    )));
}

/// Spells a character of a JSON string in any way that JSON allows.
fn spelled(text: &'static str) -> impl Strategy<Value = String> {
    let forms = prop::collection::vec(0..4_u8, text.len());
    forms.prop_map(move |forms| {
        let spell = |(character, form): (char, u8)| match form {
            0 => format!("\\u{:04x}", u32::from(character)),
            1 => format!("\\u{:04X}", u32::from(character)),
            _ => character.to_string(),
        };
        text.chars().zip(forms).map(spell).collect()
    })
}

fn blank() -> impl Strategy<Value = String> {
    "[ \t\r\n]{0,3}"
}

prop_compose! {
    /// A header, in any spelling, that our verifier accepts as a proof's.
    fn proof_header()(
        names in (spelled("alg"), spelled("kid"), spelled("typ")),
        values in (spelled("ES256"), spelled(KID), spelled("countersign-login+jwt")),
        blanks in prop::collection::vec(blank(), 8),
        order in Just([0, 1, 2]).prop_shuffle(),
    ) -> String {
        let members = [(names.0, values.0), (names.1, values.1), (names.2, values.2)];
        let members: Vec<String> = order
            .iter()
            .map(|at| {
                let (name, value) = &members[*at];
                format!("{}\"{name}\"{}:{}\"{value}\"", blanks[2 * at], blanks[7], blanks[2 * at + 1])
            })
            .collect();
        format!("{}{{{}}}{}", blanks[6], members.join(","), blanks[7])
    }
}

proptest! {
    #[test]
    fn no_header_that_a_proof_may_have_is_accepted_as_data(header in proof_header(), rest in ".*") {
        let header = BASE64_URL_SAFE_NO_PAD.encode(header);
        prop_assert_eq!(header::read(&header, Form::JWT).map(|key| key.to_string()), Ok(KID.to_owned()));
        let data = format!("{header}.{rest}");
        prop_assert!(is_reserved(&data));
    }

    #[test]
    fn accepted_data_never_begins_with_the_header_of_a_proof(
        data in prop_oneof![
            ".*",
            "[A-Za-z0-9+/_=-]{0,80}\\.[A-Za-z0-9_-]{0,20}",
            // A proof's header with random changes.
            (proof_header(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(header, at, byte)| {
                let mut bytes = header.into_bytes();
                let at = at.index(bytes.len());
                bytes[at] = byte;
                input(bytes)
            }),
        ],
    ) {
        let header = data.split('.').next().unwrap_or_default();
        let is_header = [Form::JWT, Form::PASSKEY].map(|form| header::read(header, form).is_ok()).contains(&true);
        prop_assert!(is_reserved(&data) || !data.contains('.') || !is_header);
    }

    #[test]
    fn text_of_a_registration_is_accepted(user in "[a-z]{1,20}(@[a-z]{1,10}\\.[a-z]{2,3})?") {
        let data = format!("countersign-association-key/1\ncs_app_0123456789abcdefABCDEF\n{user}");
        prop_assert!(!is_reserved(&data));
    }
}
