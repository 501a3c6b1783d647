//! A person's history and the denials, which the risk rules of later logins use.

use base16ct::lower;
use countersign_domain::login::risk::{BrowserMark, PersonHistory};
use countersign_domain::primitives::time::Timestamp;
use countersign_records::RecordError;

use super::{from_item, to_item};
use crate::store::attributes::{REVISION, TTL};
use crate::store::item::{Attributes, Item, seconds};

/// The time in a slot that has no denial.
pub(in crate::store) const NEVER: Timestamp = Timestamp::from_millis(0);

/// Returns the key of a browser in the map of browsers.
pub(in crate::store) fn mark_name(mark: &BrowserMark) -> String {
    lower::encode_string(mark.as_bytes())
}

/// Returns the attributes of a person's history, without keys, version and revision.
pub(in crate::store) fn encode_person(history: &PersonHistory) -> Result<Item, RecordError> {
    let mut attributes = to_item(history)?;
    if let Some(end) = history.forgotten_at() {
        attributes.insert(TTL.to_owned(), seconds(end));
    }
    Ok(attributes)
}

/// Reads a person's history and the item's revision.
pub(in crate::store) fn decode_person(item: &Item) -> Result<(PersonHistory, u64), RecordError> {
    let history = from_item((), item)?;
    Ok((history, Attributes::of(item)?.number(REVISION)?))
}
