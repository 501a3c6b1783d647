//! What bears on later logins, as it is stored.

use std::borrow::Cow;

use countersign_domain::login::risk::{
    BrowserMark, Denials, KnownBrowser, LastConfirmation, PersonHistory,
};
use countersign_domain::login::sighting::Coordinates;
use countersign_domain::primitives::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::{RecordError, VERSION, check_version, fixed, instant, read, to_base64, write};

#[derive(Serialize, Deserialize)]
struct DenialsRecord {
    v: u8,
    #[serde(rename = "t")]
    at: Vec<u64>,
}

#[derive(Serialize, Deserialize)]
struct PersonRecord<'a> {
    v: u8,
    /// Marks, and when each was seen last.
    #[serde(rename = "b", borrow)]
    browsers: Vec<(Cow<'a, str>, u64)>,
    /// When, latitude and longitude.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    last: Option<(u64, i32, i32)>,
}

/// Writes the denials of an address.
pub(crate) fn encode_denials(denials: &Denials) -> Result<Vec<u8>, RecordError> {
    let instants = denials.instants().iter().copied();
    write(&DenialsRecord {
        v: VERSION,
        at: instants.map(Timestamp::as_millis).collect(),
    })
}

/// Reads them back.
pub(crate) fn decode_denials(bytes: &[u8]) -> Result<Denials, RecordError> {
    let record: DenialsRecord = read(bytes)?;
    check_version(record.v)?;
    let at = record.at.into_iter().map(instant).collect();
    Ok(Denials::from_stored(at))
}

/// Writes what is known of a person.
pub(crate) fn encode_person(person: &PersonHistory) -> Result<Vec<u8>, RecordError> {
    let browsers = person.browsers().iter();
    write(&PersonRecord {
        v: VERSION,
        browsers: browsers
            .map(|known| {
                (
                    to_base64(known.mark.as_bytes()).into(),
                    known.at.as_millis(),
                )
            })
            .collect(),
        last: person.last().map(|last| {
            let (latitude, longitude) = last.coordinates.units();
            (last.at.as_millis(), latitude, longitude)
        }),
    })
}

/// Reads it back.
pub(crate) fn decode_person(bytes: &[u8]) -> Result<PersonHistory, RecordError> {
    let record: PersonRecord<'_> = read(bytes)?;
    check_version(record.v)?;
    let browsers = record.browsers.iter().map(|(mark, at)| {
        Ok(KnownBrowser {
            mark: BrowserMark::from_bytes(fixed(mark, "browser")?),
            at: instant(*at),
        })
    });
    let last = record.last.map(|(at, latitude, longitude)| {
        Ok(LastConfirmation {
            at: instant(at),
            coordinates: Coordinates::from_units(latitude, longitude)
                .map_err(|_| RecordError::Member("coordinates"))?,
        })
    });
    let browsers = browsers.collect::<Result<_, RecordError>>()?;
    Ok(PersonHistory::from_stored(browsers, last.transpose()?))
}
