//! Examples of the canonical form.

use super::{canon, value};
use crate::primitives::canonical_json::*;

#[test]
fn whitespace_is_removed_and_keys_are_sorted_at_every_level() {
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
fn stored_text_is_accepted_only_in_canonical_form() {
    let canonical = canon(r#"{"b":1e20,"a":9007199254740993.0}"#).unwrap();
    assert_eq!(
        canonical,
        r#"{"a":9007199254740992,"b":100000000000000000000}"#
    );
    assert!(
        canon(&canonical).is_err(),
        "the same literal is refused from callers"
    );
    assert_eq!(
        CanonicalObject::try_from(canonical.clone())
            .unwrap()
            .as_str(),
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
