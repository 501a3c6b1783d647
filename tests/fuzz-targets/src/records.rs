//! Stored documents, which a backup or another release may have written.

use countersign_domain::store::Key;
use countersign_domain::store::form::{from_json, to_json};

/// A document that can be read is written in a form that is read as the same document. The first
/// line of the input is the document's key.
pub(crate) fn records(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let Some((key, body)) = text.split_once('\n') else {
        return;
    };
    let Some(key) = Key::parse(key) else { return };
    let Ok(document) = from_json(&key, body) else {
        return;
    };
    let written = to_json(&document).expect("a document is written");
    let again = from_json(&key, &written).expect("a written document is read");
    assert_eq!(again, document);
}
