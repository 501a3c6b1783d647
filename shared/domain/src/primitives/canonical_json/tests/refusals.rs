//! Texts without a canonical form, and the offsets in their errors.

use super::{canon, value};
use crate::primitives::canonical_json::*;

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
fn invalid_json_is_refused_near_its_offset() {
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
        let Err(CanonicalError::NotJson { at: near }) = canon(written) else {
            panic!("{written} is not JSON");
        };
        // The parser notices a wrong escape or word at its end, and a control character before it.
        assert!(near.abs_diff(at) <= 3, "{written}: {near}");
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
fn limits_are_exact_for_bytes_keys_and_depth() {
    // `{"v":""}` is 8 bytes; escapes count in their canonical form.
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
