//! The stored form of the history by which the risk of later logins is judged.

use std::collections::BTreeMap;
use std::fmt;

use base16ct::lower;
use countersign_domain::login::risk::{
    BrowserMark, DENIALS, Denials, KnownBrowser, LastConfirmation, PersonHistory,
};
use countersign_domain::primitives::time::Timestamp;
use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::entity::Entity;
use crate::error::RecordError;
use crate::sighting::{coordinates, degrees};
use crate::value::Millis;

/// The most recent denials of an app's logins from one address, latest first. An absent or zero field
/// means no denial.
#[derive(Serialize, Deserialize)]
pub(crate) struct DenialsRecord {
    #[serde(rename = "d0", skip_serializing_if = "Option::is_none")]
    first: Option<Millis>,
    #[serde(rename = "d1", skip_serializing_if = "Option::is_none")]
    second: Option<Millis>,
    #[serde(rename = "d2", skip_serializing_if = "Option::is_none")]
    third: Option<Millis>,
}

/// The history of a person's confirmed logins.
#[derive(Serialize, Deserialize)]
pub(crate) struct PersonRecord {
    /// Known browsers, each with the time at which it was last seen.
    #[serde(rename = "b")]
    browsers: BTreeMap<MarkRecord, Millis>,
    /// Time of the last confirmed login with a place.
    #[serde(rename = "a", skip_serializing_if = "Option::is_none")]
    last_at: Option<Millis>,
    /// Latitude of that login, in the units of a sighting.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    north: Option<i32>,
    /// Longitude of that login, in the same units.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    east: Option<i32>,
}

/// A browser's mark as a map key, in hexadecimal digits.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct MarkRecord([u8; 16]);

impl From<&Denials> for DenialsRecord {
    fn from(denials: &Denials) -> Self {
        let mut latest = denials.instants().iter().rev().copied().map(Millis::from);
        let [first, second, third]: [_; DENIALS] = std::array::from_fn(|_| latest.next());
        Self {
            first,
            second,
            third,
        }
    }
}

impl From<DenialsRecord> for Denials {
    fn from(record: DenialsRecord) -> Self {
        let instants: [_; DENIALS] = [record.first, record.second, record.third];
        let instants = instants.into_iter().flatten().map(Timestamp::from);
        let never = Timestamp::from_millis(0);
        Self::from_stored(instants.filter(|at| *at != never).collect())
    }
}

impl Entity for Denials {
    type Id = ();
    type Record<'a> = DenialsRecord;

    fn record(&self) -> DenialsRecord {
        self.into()
    }

    fn from_record((): (), record: DenialsRecord) -> Result<Self, RecordError> {
        Ok(record.into())
    }
}

impl From<&PersonHistory> for PersonRecord {
    fn from(history: &PersonHistory) -> Self {
        let browsers = history.browsers().iter();
        let last = history.last();
        let (north, east) = degrees(last.map(|last| last.coordinates));
        Self {
            browsers: browsers
                .map(|known| (MarkRecord(*known.mark.as_bytes()), known.at.into()))
                .collect(),
            last_at: last.map(|last| last.at.into()),
            north,
            east,
        }
    }
}

impl TryFrom<PersonRecord> for PersonHistory {
    type Error = RecordError;

    fn try_from(record: PersonRecord) -> Result<Self, RecordError> {
        let browsers = record.browsers.into_iter();
        let mut browsers: Vec<_> = browsers
            .map(|(mark, at)| KnownBrowser {
                mark: BrowserMark::from_bytes(mark.0),
                at: at.into(),
            })
            .collect();
        // Maps do not keep the order of browsers, and browsers seen at the same instant need a stable one.
        browsers.sort_by_key(|known| (known.at, known.mark));
        let last = match coordinates(record.north, record.east)? {
            None => None,
            Some(coordinates) => Some(LastConfirmation {
                at: record
                    .last_at
                    .ok_or(RecordError::Missing("last_at"))?
                    .into(),
                coordinates,
            }),
        };
        Ok(Self::from_stored(browsers, last))
    }
}

impl Entity for PersonHistory {
    type Id = ();
    type Record<'a> = PersonRecord;

    fn record(&self) -> PersonRecord {
        self.into()
    }

    fn from_record((): (), record: PersonRecord) -> Result<Self, RecordError> {
        record.try_into()
    }
}

impl Serialize for MarkRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&lower::encode_string(&self.0))
    }
}

impl<'de> Deserialize<'de> for MarkRecord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(MarkVisitor)
    }
}

struct MarkVisitor;

impl Visitor<'_> for MarkVisitor {
    type Value = MarkRecord;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("16 bytes")
    }

    fn visit_str<E: Error>(self, digits: &str) -> Result<MarkRecord, E> {
        let mut mark = [0; 16];
        let decoded = lower::decode(digits, &mut mark).map_err(E::custom)?;
        if decoded.len() == 16 {
            Ok(MarkRecord(mark))
        } else {
            Err(E::custom("not 16 bytes"))
        }
    }
}
