//! What CloudFront says of a viewer ("Add CloudFront request headers", CloudFront Developer
//! Guide). Only to be asked where the request is known to have come through it.

use std::net::IpAddr;

use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, Located, NetworkClass, Place,
};
use http::{HeaderMap, HeaderName};
use percent_encoding::percent_decode_str;

use super::only;

const ADDRESS: HeaderName = HeaderName::from_static("cloudfront-viewer-address");
const COUNTRY: HeaderName = HeaderName::from_static("cloudfront-viewer-country");
const CITY: HeaderName = HeaderName::from_static("cloudfront-viewer-city");
const LATITUDE: HeaderName = HeaderName::from_static("cloudfront-viewer-latitude");
const NETWORK: HeaderName = HeaderName::from_static("x-amzn-waf-countersign-network");
const LONGITUDE: HeaderName = HeaderName::from_static("cloudfront-viewer-longitude");

/// The viewer's address: `203.0.113.7:46532`, and for IPv6 the same without brackets, so that the
/// last colon is the port's.
pub(super) fn address(headers: &HeaderMap) -> Option<IpAddr> {
    let (address, port) = text(headers, &ADDRESS)?.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    let bare = address
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    bare.unwrap_or(address).parse().ok()
}

/// Where the viewer is, as far as CloudFront says. What kind of network it is, CloudFront does not
/// say, but AWS WAF in front of it can: a rule that counts what another rule has labelled may insert
/// a header, whose name AWS begins with `x-amzn-waf-`. A viewer who writes it by themselves can
/// only tell on themselves, since a rule that matches overwrites it.
pub(super) fn located(headers: &HeaderMap) -> Located {
    Located {
        place: Place {
            country: text(headers, &COUNTRY).and_then(|text| text.parse::<CountryCode>().ok()),
            city: text(headers, &CITY).and_then(city),
            coordinates: coordinates(headers),
        },
        network: text(headers, &NETWORK)
            .and_then(NetworkClass::named)
            .unwrap_or_default(),
    }
}

/// A city's name: what is not ASCII is percent-encoded UTF-8.
fn city(text: &str) -> Option<City> {
    let name = percent_decode_str(text).decode_utf8().ok()?;
    City::new(&name)
}

fn coordinates(headers: &HeaderMap) -> Option<Coordinates> {
    let degrees = |name| text(headers, name)?.parse().ok();
    Coordinates::from_degrees(degrees(&LATITUDE)?, degrees(&LONGITUDE)?).ok()
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    std::str::from_utf8(only(headers, name)?).ok()
}
