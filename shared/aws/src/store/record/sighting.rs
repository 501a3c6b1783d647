//! What was seen of a browser or a phone: attributes of a map.

use std::net::IpAddr;

use aws_sdk_dynamodb::types::AttributeValue;
use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, NetworkClass, Place, Sighting, UserAgent,
};

use crate::store::attributes::sighting as at;
use crate::store::item::{Attributes, Item, RecordError, bytes, integer, text};

pub(super) fn encode_sighting(seen: &Sighting) -> Item {
    let mut map = Item::new();
    let mut put = |name: &str, value: AttributeValue| {
        map.insert(name.to_owned(), value);
    };
    put(
        at::ADDRESS,
        match seen.address {
            IpAddr::V4(address) => bytes(address.octets()),
            IpAddr::V6(address) => bytes(address.octets()),
        },
    );
    if !seen.user_agent.as_str().is_empty() {
        put(at::USER_AGENT, text(seen.user_agent.as_str()));
    }
    if let Some(country) = seen.place.country {
        put(at::COUNTRY, text(country.to_string()));
    }
    if let Some(city) = &seen.place.city {
        put(at::CITY, text(city.as_str()));
    }
    if let Some((north, east)) = seen.place.coordinates.map(|point| point.units()) {
        put(at::NORTH, integer(north));
        put(at::EAST, integer(east));
    }
    if seen.network != NetworkClass::Unknown {
        put(at::NETWORK, text(seen.network.as_str()));
    }
    map
}

pub(super) fn decode_sighting(map: Attributes<'_>) -> Result<Sighting, RecordError> {
    let network = map.text_if(at::NETWORK)?;
    let network = network.map(|name| name.parse::<NetworkClass>().map_err(|_| at::NETWORK));
    Ok(Sighting::new(
        address(map)?,
        UserAgent::new(map.text_if(at::USER_AGENT)?.unwrap_or_default()),
        decode_place(map)?,
        network
            .transpose()
            .map_err(RecordError::Invalid)?
            .unwrap_or_default(),
    ))
}

fn address(map: Attributes<'_>) -> Result<IpAddr, RecordError> {
    let bytes = map.bytes(at::ADDRESS)?;
    if let Ok(v4) = <[u8; 4]>::try_from(bytes) {
        return Ok(v4.into());
    }
    let v6 = <[u8; 16]>::try_from(bytes);
    v6.map(IpAddr::from)
        .map_err(|_| RecordError::Invalid(at::ADDRESS))
}

fn decode_place(map: Attributes<'_>) -> Result<Place, RecordError> {
    let country = map.text_if(at::COUNTRY)?.map(str::parse::<CountryCode>);
    let city = map.text_if(at::CITY)?;
    let city = city.map(|name| City::new(name).ok_or(RecordError::Invalid(at::CITY)));
    Ok(Place {
        country: country
            .transpose()
            .map_err(|_| RecordError::Invalid(at::COUNTRY))?,
        city: city.transpose()?,
        coordinates: decode_point(map)?,
    })
}

/// A point on the globe, if there is one. The attributes have the same names wherever one is kept.
pub(super) fn decode_point(map: Attributes<'_>) -> Result<Option<Coordinates>, RecordError> {
    let point = match (map.number_if(at::NORTH)?, map.number_if(at::EAST)?) {
        (None, None) => None,
        (Some(north), Some(east)) => Some(Coordinates::from_units(north, east)),
        (None, Some(_)) => return Err(RecordError::Missing(at::NORTH)),
        (Some(_), None) => return Err(RecordError::Missing(at::EAST)),
    };
    point
        .transpose()
        .map_err(|_| RecordError::Invalid(at::NORTH))
}
