//! Reading requests and writing bodies.

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
fn body_is_canonical_whatever_the_order_of_members() {
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
    let shown = format!("{members:?} {object:?} {writer:?}");
    let expected = "Members(1) CanonicalObject(20 bytes) ObjectWriter(1 members)";
    assert_eq!(shown, expected);
}
