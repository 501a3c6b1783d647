//! Times of the API: UTC, ISO 8601 with milliseconds.

use std::time::SystemTime;

use serde::{Deserialize as _, Deserializer, Serializer};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::world::seconds_of;

pub(crate) fn parse(text: &str) -> Option<SystemTime> {
    OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .map(SystemTime::from)
}

/// Parses a time into seconds since 1970.
pub(crate) fn parse_seconds(text: &str) -> Option<f64> {
    parse(text).map(seconds_of)
}

pub(crate) fn write(time: SystemTime) -> String {
    let time = OffsetDateTime::from(time);
    let (date, (hour, minute, second, milli)) = (time.date(), time.time().as_hms_milli());
    format!(
        "{:04}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z",
        date.year(),
        u8::from(date.month()),
        date.day(),
    )
}

/// Optional times, for `#[serde(with)]`. A malformed time counts as absent.
pub(crate) mod optional {
    use super::{Deserializer, Serializer, SystemTime, parse, write};

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<SystemTime>, D::Error> {
        let text = super::text(from)?;
        Ok(text.as_deref().and_then(parse))
    }

    #[expect(clippy::ref_option, reason = "the signature is serde's")]
    pub(crate) fn serialize<S: Serializer>(
        time: &Option<SystemTime>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.serialize_str(&write(*time)),
            None => to.serialize_none(),
        }
    }
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(from)
}
