//! Reading requests and writing bodies.

use serde::Serialize;

use crate::primitives::canonical_json::*;

#[test]
fn request_is_read_member_by_member() {
    let body = r#" {"callbackUrl":"https:\/\/example.com/h","phoneNumber":"+1 202 555 0100",
        "note":null,"huge":123456789012345678901234567890,
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
    let at = body.find("123456").unwrap();
    assert_eq!(request.text("huge"), Err(CanonicalError::NotAString { at }));
}

#[test]
fn request_must_be_an_unambiguous_object() {
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
fn body_is_canonical_whatever_the_order_of_fields() {
    #[derive(Serialize)]
    struct Body {
        #[serde(rename = "validationStatus")]
        status: &'static str,
        #[serde(serialize_with = "CanonicalObject::inline")]
        metadata: CanonicalObject,
        carrier: &'static str,
        #[serde(rename = "10")]
        ten: bool,
        #[serde(rename = "9")]
        nine: f64,
    }
    let written = r#"{"2":1.0,"1":"x","c":1e20}"#;
    let body = CanonicalObject::from_body(&Body {
        status: "valid",
        metadata: CanonicalObject::parse(written, Limits::METADATA).unwrap(),
        carrier: "A\"T&T\n\u{1}/\u{7f}\u{2028}é",
        ten: true,
        nine: 0.000_000_1,
    });
    let expected = concat!(
        r#"{"9":1e-7,"10":true,"carrier":"A\"T&T\n\u0001/"#,
        "\u{7f}\u{2028}é",
        r#"","metadata":{"1":"x","2":1,"c":100000000000000000000},"validationStatus":"valid"}"#
    );
    assert_eq!(body.as_str(), expected);
    let stored = CanonicalObject::try_from(expected.to_owned());
    assert_eq!(stored, Ok(body));
}

#[test]
fn debug_and_errors_show_no_content() {
    let body = br#"{"secret":"hunter2"}"#;
    let members = Members::parse(body).unwrap();
    let object = CanonicalObject::parse(body, Limits::METADATA).unwrap();
    let shown = format!("{members:?} {object:?}");
    let expected = "Members(1) CanonicalObject(20 bytes)";
    assert_eq!(shown, expected);
}
