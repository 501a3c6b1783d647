//! Behaviour that the server libraries in all languages share: clients/vectors.json.

use std::path::Path;
use std::sync::LazyLock;

use serde_json::Value;
use serde_json::value::Index;

use crate::proof::KnownKey;
use crate::types::RegisteredKey;

static VECTORS: LazyLock<Value> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
});

pub(crate) fn vectors() -> &'static Value {
    &VECTORS
}

/// Returns the cases of a list. A list without cases would test nothing.
pub(crate) fn cases(list: &'static Value) -> &'static [Value] {
    let cases = list.as_array().unwrap();
    assert!(!cases.is_empty());
    cases
}

pub(crate) fn text(value: &Value, index: impl Index + std::fmt::Debug) -> &str {
    value[&index]
        .as_str()
        .unwrap_or_else(|| panic!("no text {index:?}"))
}

/// Returns pairs of name and value.
pub(crate) fn pairs(headers: &Value) -> Vec<(&str, &str)> {
    let headers = headers.as_array().unwrap();
    headers
        .iter()
        .map(|pair| (text(pair, 0), text(pair, 1)))
        .collect()
}

/// Returns whether the compiler rules a case out: Rust has no null, and no value of a wrong type.
pub(crate) fn is_ruled_out(case: &Value) -> bool {
    let languages = case["absent"].as_array();
    languages.is_some_and(|languages| languages.contains(&"rust".into()))
}

/// Returns a function that finds a case's keys.
pub(crate) fn key_finder(
    keys: &Value,
) -> impl Fn(String) -> std::future::Ready<Result<Option<KnownKey>, std::io::Error>>
+ Send
+ Sync
+ 'static {
    let keys: Vec<(String, KnownKey)> = keys
        .as_array()
        .unwrap()
        .iter()
        .map(|key| {
            let listed: RegisteredKey = serde_json::from_value(key.clone()).unwrap();
            let known = KnownKey::registered(&listed, text(key, "userId"));
            (text(key, "keyId").to_owned(), known)
        })
        .collect();
    move |id| {
        let found = keys.iter().find(|(known, _)| *known == id);
        std::future::ready(Ok(found.map(|(_, key)| key.clone())))
    }
}
