//! The stored form of a sighting of a browser or a phone.

use std::net::IpAddr;

use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, NetworkClass, Place, Sighting, UserAgent,
};
use serde::{Deserialize, Serialize};

use crate::error::{RecordError, invalid};
use crate::value::{Bytes, Text};

/// A sighting, embedded in the record of a login or a phone.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'a"))]
pub(crate) struct SightingRecord<'a> {
    /// IP address: 4 bytes or 16.
    #[serde(rename = "i")]
    address: Bytes<'a>,
    /// Absent if empty.
    #[serde(rename = "u", skip_serializing_if = "Option::is_none")]
    user_agent: Option<Text<'a>>,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    country: Option<Text<'a>>,
    #[serde(rename = "y", skip_serializing_if = "Option::is_none")]
    city: Option<Text<'a>>,
    /// Latitude, in the units of [`Coordinates::units`].
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    north: Option<i32>,
    /// Longitude, in the same units.
    #[serde(rename = "e", skip_serializing_if = "Option::is_none")]
    east: Option<i32>,
    /// Absent if unknown.
    #[serde(rename = "w", skip_serializing_if = "Option::is_none")]
    network: Option<Text<'a>>,
}

impl<'a> From<&'a Sighting> for SightingRecord<'a> {
    fn from(seen: &'a Sighting) -> Self {
        let user_agent = seen.user_agent.as_str();
        let (north, east) = degrees(seen.place.coordinates);
        Self {
            address: match seen.address {
                IpAddr::V4(address) => address.octets().to_vec().into(),
                IpAddr::V6(address) => address.octets().to_vec().into(),
            },
            user_agent: (!user_agent.is_empty()).then(|| user_agent.into()),
            country: seen.place.country.map(|country| country.to_string().into()),
            city: seen.place.city.as_ref().map(|city| city.as_str().into()),
            north,
            east,
            network: match seen.network {
                NetworkClass::Unknown => None,
                network => Some(network.as_str().into()),
            },
        }
    }
}

impl TryFrom<SightingRecord<'_>> for Sighting {
    type Error = RecordError;

    fn try_from(record: SightingRecord<'_>) -> Result<Self, RecordError> {
        let country = record
            .country
            .map(|code| code.as_str().parse::<CountryCode>());
        let city = record
            .city
            .map(|name| City::new(name.as_str()).ok_or(RecordError::Invalid("city")));
        let place = Place {
            country: country.transpose().map_err(invalid("country"))?,
            city: city.transpose()?,
            coordinates: coordinates(record.north, record.east)?,
        };
        let network = record
            .network
            .map(|name| name.as_str().parse::<NetworkClass>());
        let user_agent = record.user_agent.as_ref().map_or("", Text::as_str);
        Ok(Self::new(
            address(&record.address)?,
            UserAgent::new(user_agent),
            place,
            network
                .transpose()
                .map_err(invalid("network"))?
                .unwrap_or_default(),
        ))
    }
}

fn address(stored: &Bytes<'_>) -> Result<IpAddr, RecordError> {
    match stored.fixed::<4>("address") {
        Ok(v4) => Ok(v4.into()),
        Err(_) => stored.fixed::<16>("address").map(IpAddr::from),
    }
}

/// Returns latitude and longitude in the units of a record.
pub(crate) fn degrees(point: Option<Coordinates>) -> (Option<i32>, Option<i32>) {
    point.map(|point| point.units()).unzip()
}

/// Returns the point at this latitude and longitude, or `None` if both are absent.
pub(crate) fn coordinates(
    north: Option<i32>,
    east: Option<i32>,
) -> Result<Option<Coordinates>, RecordError> {
    match (north, east) {
        (None, None) => Ok(None),
        (Some(north), Some(east)) => Coordinates::from_units(north, east)
            .map(Some)
            .map_err(invalid("coordinates")),
        (None, Some(_)) => Err(RecordError::Missing("north")),
        (Some(_), None) => Err(RecordError::Missing("east")),
    }
}
