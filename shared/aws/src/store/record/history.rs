//! What bears on later logins: the denials from an address, and what a person confirmed.

use aws_sdk_dynamodb::types::AttributeValue;
use base16ct::lower;
use countersign_domain::login::risk::{
    BrowserMark, DENIALS, Denials, KnownBrowser, LastConfirmation, PersonHistory,
};
use countersign_domain::primitives::time::Timestamp;

use super::sighting::decode_point;
use crate::store::attributes::{REVISION, TTL, denials, person as at};
use crate::store::item::{Attributes, Item, RecordError, instant, integer, seconds};

/// The instant that stands where there was no denial yet.
pub(in crate::store) const NEVER: Timestamp = Timestamp::from_millis(0);

/// Reads denials back.
pub(in crate::store) fn decode_denials(item: &Item) -> Result<Denials, RecordError> {
    Attributes::of(item)?;
    let slots = (0..DENIALS).filter_map(|number| item.get(&denials::slot(number)));
    let instants = slots.map(|stored| {
        let digits = stored.as_n().ok().and_then(|digits| digits.parse().ok());
        let millis = digits.ok_or(RecordError::Invalid("a denial"))?;
        Ok(Timestamp::from_millis(millis))
    });
    let mut instants = instants.collect::<Result<Vec<_>, RecordError>>()?;
    instants.retain(|at| *at != NEVER);
    Ok(Denials::from_stored(instants))
}

/// By what a browser is found in the map of them.
pub(in crate::store) fn mark_name(mark: &BrowserMark) -> String {
    lower::encode_string(mark.as_bytes())
}

/// The attributes of a person's history, keys, version and revision aside.
pub(in crate::store) fn encode_person(history: &PersonHistory) -> Item {
    let mut attributes = Item::new();
    let mut put = |name: &str, value: AttributeValue| {
        attributes.insert(name.to_owned(), value);
    };
    let browsers = history.browsers().iter();
    let browsers = browsers.map(|known| (mark_name(&known.mark), instant(known.at)));
    put(at::BROWSERS, AttributeValue::M(browsers.collect()));
    if let Some(last) = history.last() {
        let (north, east) = last.coordinates.units();
        put(at::LAST_AT, instant(last.at));
        put(at::NORTH, integer(north));
        put(at::EAST, integer(east));
    }
    if let Some(end) = history.forgotten_at() {
        put(TTL, seconds(end));
    }
    attributes
}

/// Reads a person's history back, and how many writes the item had seen.
pub(in crate::store) fn decode_person(item: &Item) -> Result<(PersonHistory, u64), RecordError> {
    let item = Attributes::of(item)?;
    let invalid = RecordError::Invalid(at::BROWSERS);
    let map = item.get(at::BROWSERS);
    let map = map.ok_or(RecordError::Missing(at::BROWSERS))?;
    let browsers = map.as_m().map_err(|_| invalid)?.iter();
    let browsers = browsers.map(|(name, stored)| {
        let mut mark = [0; 16];
        let decoded = lower::decode(name, &mut mark).map_err(|_| invalid)?;
        let whole = decoded.len() == mark.len();
        let millis = stored.as_n().ok().and_then(|digits| digits.parse().ok());
        let known = millis.filter(|_| whole).map(|millis| KnownBrowser {
            mark: BrowserMark::from_bytes(mark),
            at: Timestamp::from_millis(millis),
        });
        known.ok_or(invalid)
    });
    let mut browsers = browsers.collect::<Result<Vec<_>, _>>()?;
    // A map has no order, and those of one instant shall not change places.
    browsers.sort_by_key(|known| (known.at, known.mark));
    let last = decode_point(item)?
        .map(|coordinates| {
            let at = item.instant(at::LAST_AT)?;
            Ok(LastConfirmation { at, coordinates })
        })
        .transpose()?;
    let history = PersonHistory::from_stored(browsers, last);
    Ok((history, item.number(REVISION)?))
}
