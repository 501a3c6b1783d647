#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod form;
mod refusals;
mod requests;

use super::*;

fn canon(json: &str) -> Result<String, CanonicalError> {
    CanonicalObject::parse(json, Limits::METADATA).map(CanonicalObject::into_string)
}

/// Returns the canonical form of a single value.
fn value(json: &str) -> Result<String, CanonicalError> {
    let object = canon(&format!(r#"{{"v":{json}}}"#))?;
    Ok(object
        .strip_prefix(r#"{"v":"#)
        .unwrap()
        .strip_suffix('}')
        .unwrap()
        .to_owned())
}
