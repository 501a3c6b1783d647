#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn canon(json: &str) -> Result<String, CanonicalError> {
    CanonicalObject::parse(json, Limits::METADATA).map(CanonicalObject::into_string)
}

/// The canonical form of one value.
fn value(json: &str) -> Result<String, CanonicalError> {
    let object = canon(&format!(r#"{{"v":{json}}}"#))?;
    Ok(object
        .strip_prefix(r#"{"v":"#)
        .unwrap()
        .strip_suffix('}')
        .unwrap()
        .to_owned())
}

#[test]
fn whitespace_goes_and_keys_are_sorted_at_every_level() {
    let written =
        "\t{ \"b\" : [ { \"z\" : 1 , \"y\" : 2 } , [ ] ] ,\r\n\"a\":{}, \"10\":0, \"9\":0 }\n ";
    let canonical = r#"{"9":0,"10":0,"a":{},"b":[{"y":2,"z":1},[]]}"#;
    assert_eq!(canon(written).unwrap(), canonical);
    assert_eq!(canon("{}").unwrap(), "{}");
    assert_eq!(CanonicalObject::empty().as_str(), "{}");
    assert_eq!(CanonicalObject::default(), CanonicalObject::empty());
}

#[test]
fn strings_are_escaped_as_json_stringify_does() {
    let written = r#""\u0022\u005c\/\b\f\n\r\t\u0000\u001F \u007f<>&'\u2028\u00e9\ud83D\uDE00""#;
    let canonical = "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f \u{7f}<>&'\u{2028}é😀\"";
    assert_eq!(value(written).unwrap(), canonical);
    assert_eq!(value(canonical).unwrap(), canonical);
    assert_eq!(
        canon(r#"{"\u0061\n\u0022":1}"#).unwrap(),
        "{\"a\\n\\\"\":1}"
    );
}

#[test]
fn numbers_are_in_ecmascript_form() {
    let cases = [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0", "0"),
        ("-0e5", "0"),
        ("1e-999", "0"),
        ("-1e-999", "0"),
        ("1.0", "1"),
        ("100e-2", "1"),
        ("-1.50", "-1.5"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("1E+2", "100"),
        ("1e20", "100000000000000000000"),
        ("123456789012345678901.0", "123456789012345680000"),
        ("1e21", "1e+21"),
        ("0.1e1", "1"),
        ("9007199254740991", "9007199254740991"),
        ("-9007199254740991", "-9007199254740991"),
        ("9007199254740993.0", "9007199254740992"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("333333333.33333329", "333333333.3333333"),
    ];
    for (written, canonical) in cases {
        assert_eq!(value(written).unwrap(), canonical, "{written}");
    }
}

#[test]
fn integer_literals_beyond_2_to_the_53_minus_1_are_refused() {
    let googol = format!("1{}", "0".repeat(100));
    for literal in [
        "9007199254740992",
        "-9007199254740992",
        "18446744073709551616",
        &googol,
    ] {
        assert_eq!(
            value(literal),
            Err(CanonicalError::IntegerOutOfRange { at: 5 }),
            "{literal}"
        );
    }
    for literal in ["1e999", "-1e309", "1.8e308"] {
        assert_eq!(
            value(literal),
            Err(CanonicalError::NumberNotFinite { at: 5 }),
            "{literal}"
        );
    }
}

#[test]
fn keys_that_receivers_read_differently_are_refused() {
    use CanonicalError::{DuplicateKey, ForbiddenKey, LoneSurrogate};
    let cases = [
        (r#"{"a":1,"a":1}"#, DuplicateKey { at: 7 }),
        (r#"{"a":1,"\u0061":1}"#, DuplicateKey { at: 7 }),
        (r#"{"7":1,"\u0037":1}"#, DuplicateKey { at: 7 }),
        (r#"{"a":[{"":1,"":2}]}"#, DuplicateKey { at: 12 }),
        (
            r#"{"__proto__":1}"#,
            ForbiddenKey {
                key: "__proto__",
                at: 1,
            },
        ),
        (
            r#"{"a":[{"\u005f_proto__":1}]}"#,
            ForbiddenKey {
                key: "__proto__",
                at: 7,
            },
        ),
        (
            r#"{"constructor":{"prototype":0}}"#,
            ForbiddenKey {
                key: "prototype",
                at: 16,
            },
        ),
        (r#"{"\ud800":1}"#, LoneSurrogate { at: 1 }),
    ];
    for (written, error) in cases {
        assert_eq!(canon(written), Err(error), "{written}");
    }
    for harmless in [
        r#"{"__proto":1,"constructor":1}"#,
        r#"{"constructor":{"a":{"prototype":1}}}"#,
        r#"{"constructor":["prototype"],"prototype":{}}"#,
        r#"{"a":{"a":1},"b":{"a":1}}"#,
    ] {
        assert_eq!(canon(harmless).unwrap(), harmless);
    }
}

#[test]
fn half_a_surrogate_pair_is_refused() {
    for half in [
        r"\ud800",
        r"\uDFFF",
        r"\ud83d\u0041",
        r"\ud83dx",
        r"\ude00\ud83d",
        r"\ud83d\n",
    ] {
        let refused = Err(CanonicalError::LoneSurrogate { at: 5 });
        assert_eq!(value(&format!("\"{half}\"")), refused, "{half}");
    }
}

#[test]
fn what_is_not_json_is_refused_with_its_place() {
    let cases = [
        ("", 0),
        (" ", 1),
        ("\u{feff}{}", 0),
        ("{} x", 3),
        ("{}{}", 2),
        ("{", 1),
        (r#"{"a""#, 4),
        (r#"{"a":1,}"#, 7),
        (r#"{"a":1 "b":2}"#, 7),
        ("{a:1}", 1),
        ("{'a':1}", 1),
        (r#"{"a":[1,]}"#, 8),
        (r#"{"a":01}"#, 6),
        (r#"{"a":+1}"#, 5),
        (r#"{"a":.5}"#, 5),
        (r#"{"a":1.}"#, 7),
        (r#"{"a":1e}"#, 7),
        (r#"{"a":-}"#, 6),
        (r#"{"a":0x1}"#, 6),
        (r#"{"a":NaN}"#, 5),
        (r#"{"a":nul}"#, 5),
        (r#"{"a":True}"#, 5),
        ("{\"a\":\"\n\"}", 6),
        ("{\"a\":\"\u{1f}\"}", 6),
        (r#"{"a":"\x"}"#, 7),
        (r#"{"a":"\u00g0"}"#, 10),
        (r#"{"a":"\u+123"}"#, 8),
        (r#"{"a":"b}"#, 8),
        ("{\u{a0}}", 1),
        (r#"{"a":1/*b*/}"#, 6),
    ];
    for (written, at) in cases {
        assert_eq!(
            canon(written),
            Err(CanonicalError::NotJson { at }),
            "{written}"
        );
    }
    for (bytes, at) in [
        (&b"{\"\xff\":1}"[..], 2),
        (b"{\"\xed\xa0\x80\":1}", 2),
        (b"\xff\xfe", 0),
    ] {
        let refused = Err(CanonicalError::NotUtf8 { at });
        assert_eq!(CanonicalObject::parse(bytes, Limits::METADATA), refused);
        assert_eq!(
            Members::parse(bytes).unwrap_err(),
            CanonicalError::NotUtf8 { at }
        );
    }
    for other in ["[]", "null", "1", r#""{}""#, "true"] {
        assert_eq!(
            canon(other),
            Err(CanonicalError::NotAnObject { at: 0 }),
            "{other}"
        );
    }
}

#[test]
fn limits_hold_to_the_byte_the_key_and_the_level() {
    // `{"v":""}` is 8 bytes; escapes count as they are in canonical form.
    let full = format!(r#""{}\u0041""#, "x".repeat(4096 - 8 - 1));
    assert_eq!(value(&full).unwrap().len(), 4096 - 6);
    let over = format!(r#""{}""#, "é".repeat(2045));
    assert_eq!(
        value(&over),
        Err(CanonicalError::TooLarge {
            bytes: 4098,
            limit: 4096
        })
    );

    let keys = |count: usize| {
        let members: Vec<String> = (0..count).map(|n| format!(r#""k{n}":{{"a":0}}"#)).collect();
        canon(&format!("{{{}}}", members.join(",")))
    };
    assert!(keys(50).is_ok());
    assert_eq!(
        keys(51),
        Err(CanonicalError::TooManyKeys {
            keys: 51,
            limit: 50
        })
    );

    let nested = |depth: usize| value(&format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    assert!(nested(15).is_ok());
    assert_eq!(
        nested(16),
        Err(CanonicalError::TooDeep {
            at: 5 + 15,
            limit: 16
        })
    );
    assert_eq!(
        nested(128),
        Err(CanonicalError::TooDeep {
            at: 5 + 127,
            limit: 128
        })
    );
    let endless = "[".repeat(1 << 20);
    assert_eq!(
        canon(&endless),
        Err(CanonicalError::TooDeep {
            at: 128,
            limit: 128
        })
    );
}

#[test]
fn stored_text_is_taken_back_and_no_other_spelling_is() {
    let canonical = canon(r#"{"b":1e20,"a":9007199254740993.0}"#).unwrap();
    assert_eq!(
        canonical,
        r#"{"a":9007199254740992,"b":100000000000000000000}"#
    );
    assert!(
        canon(&canonical).is_err(),
        "as a literal it would be refused"
    );
    assert_eq!(
        CanonicalObject::try_from(canonical.clone())
            .unwrap()
            .as_str(),
        canonical
    );
    assert_eq!(
        CanonicalObject::from_stored(canonical.clone()).as_str(),
        canonical
    );
    for other in [
        "{} ",
        r#"{"a":1.0}"#,
        r#"{"b":1,"a":1}"#,
        r#"{"a":9007199254740993}"#,
    ] {
        let refused = Err(CanonicalError::NotCanonical);
        assert_eq!(
            CanonicalObject::try_from(other.to_owned()),
            refused,
            "{other}"
        );
    }
}

#[test]
fn a_request_is_read_member_by_member() {
    let body = r#" {"callbackUrl":"https:\/\/example.com/h","metadata":{"b":1,"a":2},
        "phoneNumber":"+1 202 555 0100","note":null,"huge":123456789012345678901234567890,
        "twice":{"a":1,"a":2,"__proto__":"\ud800"}} "#;
    let request = Members::parse(body.as_bytes()).unwrap();
    assert_eq!(
        request.text("callbackUrl").unwrap().unwrap(),
        "https://example.com/h"
    );
    assert_eq!(
        request.text("phoneNumber").unwrap().unwrap(),
        "+1 202 555 0100"
    );
    assert_eq!(request.text("note"), Ok(None));
    assert_eq!(request.text("absent"), Ok(None));
    let metadata = request
        .object("metadata", Limits::METADATA)
        .unwrap()
        .unwrap();
    assert_eq!(metadata.as_str(), r#"{"a":2,"b":1}"#);
    assert_eq!(request.object("note", Limits::METADATA), Ok(None));
    assert_eq!(request.get("note").unwrap().kind(), JsonKind::Null);
    assert_eq!(request.get("twice").unwrap().kind(), JsonKind::Object);

    let at = body.find("123456").unwrap();
    assert_eq!(request.text("huge"), Err(CanonicalError::NotAString { at }));
    let not_an_object = Err(CanonicalError::NotAnObject { at });
    assert_eq!(request.object("huge", Limits::METADATA), not_an_object);
    let at = body.rfind(r#""a""#).unwrap();
    let duplicate = Err(CanonicalError::DuplicateKey { at });
    assert_eq!(request.object("twice", Limits::METADATA), duplicate);
}

#[test]
fn a_request_itself_must_be_an_unambiguous_object() {
    let refused = |body: &str| Members::parse(body.as_bytes()).unwrap_err();
    assert_eq!(refused("[1]"), CanonicalError::NotAnObject { at: 0 });
    assert_eq!(
        refused(r#"{"x":1,"\u0078":2}"#),
        CanonicalError::DuplicateKey { at: 7 }
    );
    assert_eq!(
        refused(r#"{"\udc00":1}"#),
        CanonicalError::LoneSurrogate { at: 1 }
    );
    assert_eq!(refused(r#"{"x":}"#), CanonicalError::NotJson { at: 5 });
    let deep = format!(r#"{{"x":{}"#, "[".repeat(200));
    assert_eq!(
        refused(&deep),
        CanonicalError::TooDeep {
            at: 5 + 127,
            limit: 128
        }
    );
    let lone = Members::parse(br#"{"x":"\udc00"}"#).unwrap();
    assert_eq!(lone.text("x"), Err(CanonicalError::LoneSurrogate { at: 5 }));
}

#[test]
fn a_body_is_written_in_canonical_form_whatever_the_order() {
    let metadata = CanonicalObject::parse(r#"{"2":1.0,"1":"x"}"#, Limits::METADATA).unwrap();
    let body = ObjectWriter::new()
        .string("validationStatus", "valid")
        .string("phoneNumber", "overwritten")
        .object("metadata", &metadata)
        .string("carrier", "A\"T&T\n")
        .string("phoneNumber", "+12025550100")
        .finish();
    let expected = r#"{"carrier":"A\"T&T\n","metadata":{"1":"x","2":1},"phoneNumber":"+12025550100","validationStatus":"valid"}"#;
    assert_eq!(body.as_str(), expected);
    assert_eq!(
        CanonicalObject::try_from(expected.to_owned()).unwrap(),
        body
    );
    assert_eq!(ObjectWriter::new().finish(), CanonicalObject::empty());
}

#[test]
fn debug_and_errors_show_no_content() {
    let body = br#"{"secret":"hunter2"}"#;
    let members = Members::parse(body).unwrap();
    let object = CanonicalObject::parse(body, Limits::METADATA).unwrap();
    let writer = ObjectWriter::new().object("secret", &object);
    let shown = format!(
        "{members:?} {:?} {object:?} {writer:?}",
        members.get("secret")
    );
    let expected =
        "Members(1) Some(RawJson(a string)) CanonicalObject(20 bytes) ObjectWriter(1 members)";
    assert_eq!(shown, expected);
}
