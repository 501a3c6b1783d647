//! The committed test vectors for other languages are those that this crate generates. The
//! libraries in other languages verify the same files (`tests/interop`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../examples/vectors/cases.rs"]
mod cases;

use std::fs;
use std::path::Path;

use serde_json::Value;

#[test]
fn vectors_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    for (name, vectors) in cases::files().unwrap() {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        let stored: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            stored, vectors,
            "write {name} again with the example `vectors`"
        );
        assert!(stored.as_array().unwrap().len() >= 3, "{name}");
    }
}

#[test]
fn reserved_vectors_have_both_kinds() {
    let files = cases::files().unwrap();
    let (_, reserved) = &files[3];
    let refused = reserved
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["reserved"] == true);
    assert_eq!(refused.count(), 12);
}
