//! What was seen of a browser or a phone, as it is stored inside a session's record.

use std::borrow::Cow;

use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, NetworkClass, Place, Sighting, UserAgent,
};
use serde::{Deserialize, Serialize};

use super::RecordError;

#[derive(Serialize, Deserialize)]
pub(super) struct SightingRecord<'a> {
    #[serde(rename = "a", borrow)]
    address: Cow<'a, str>,
    #[serde(rename = "u", borrow)]
    user_agent: Cow<'a, str>,
    #[serde(rename = "n", borrow)]
    network: Cow<'a, str>,
    #[serde(rename = "c", borrow, default, skip_serializing_if = "Option::is_none")]
    country: Option<Cow<'a, str>>,
    #[serde(rename = "t", borrow, default, skip_serializing_if = "Option::is_none")]
    city: Option<Cow<'a, str>>,
    /// Latitude and longitude in the units of [`Coordinates::units`].
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    coordinates: Option<(i32, i32)>,
}

impl<'a> SightingRecord<'a> {
    pub(super) fn of(sighting: &'a Sighting) -> Self {
        let place = &sighting.place;
        Self {
            address: sighting.address.to_string().into(),
            user_agent: sighting.user_agent.as_str().into(),
            network: sighting.network.as_str().into(),
            country: place.country.map(|country| country.to_string().into()),
            city: place.city.as_ref().map(|city| city.as_str().into()),
            coordinates: place.coordinates.map(|point| point.units()),
        }
    }

    pub(super) fn read(self) -> Result<Sighting, RecordError> {
        let address = self.address.parse();
        let country = self.country.map(|code| code.parse::<CountryCode>());
        let point = self.coordinates.map(|(n, e)| Coordinates::from_units(n, e));
        let place = Place {
            country: country
                .transpose()
                .map_err(|_| RecordError::Member("country"))?,
            city: self.city.and_then(|city| City::new(&city)),
            coordinates: point
                .transpose()
                .map_err(|_| RecordError::Member("coordinates"))?,
        };
        Ok(Sighting::new(
            address.map_err(|_| RecordError::Member("address"))?,
            UserAgent::new(&self.user_agent),
            place,
            self.network
                .parse::<NetworkClass>()
                .map_err(|_| RecordError::Member("network"))?,
        ))
    }
}
