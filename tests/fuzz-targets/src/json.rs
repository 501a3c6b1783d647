//! JSON from callers.

use countersign_domain::primitives::canonical_json::{CanonicalObject, Limits, Members};

/// A canonical form is within its limits, means the same as its input, and is its own canonical
/// form.
pub(crate) fn canonical(input: &[u8]) {
    if let Ok(members) = Members::parse(input) {
        for name in ["callbackUrl", "metadata", ""] {
            let _ = members.text(name);
        }
    }
    let Ok(object) = CanonicalObject::parse(input, Limits::METADATA) else {
        return;
    };
    let text = object.as_str();
    assert!(text.len() <= Limits::METADATA.bytes, "{text}");
    let again = CanonicalObject::try_from(text.to_owned());
    assert_eq!(again.as_ref(), Ok(&object), "{text}");
    let meant: serde_json::Value = serde_json::from_slice(input).expect("JSON for serde as well");
    let written: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert!(equal(&meant, &written), "{meant} {written}");
    let keys = written.as_object().expect("an object").len();
    assert!(keys <= Limits::METADATA.keys, "{text}");
}

/// Compares values as JavaScript does: all numbers are doubles.
fn equal(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    use serde_json::Value::{Array, Number, Object};
    match (one, other) {
        (Number(one), Number(other)) => one.as_f64() == other.as_f64(),
        (Array(one), Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Object(one), Object(other)) => {
            let same = |name: &String, value| other.get(name).is_some_and(|o| equal(value, o));
            one.len() == other.len() && one.iter().all(|(name, value)| same(name, value))
        }
        _ => one == other,
    }
}
