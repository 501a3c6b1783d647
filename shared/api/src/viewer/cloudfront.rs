//! The headers in which CloudFront describes a viewer ("Add CloudFront request headers", CloudFront
//! Developer Guide). Trustworthy only in requests that came through CloudFront.

use std::net::IpAddr;

use countersign_domain::login::sighting::{City, Coordinates, Located, NetworkClass, Place};
use http::{HeaderMap, HeaderValue};
use percent_encoding::percent_decode_str;

use super::policy::ViewerPolicy;
use crate::header::Single;

/// The header with the origin secret.
pub const ORIGIN_SECRET: &str = "x-countersign-origin-secret";
const ADDRESS: &str = "cloudfront-viewer-address";
const COUNTRY: &str = "cloudfront-viewer-country";
const CITY: &str = "cloudfront-viewer-city";
const LATITUDE: &str = "cloudfront-viewer-latitude";
const LONGITUDE: &str = "cloudfront-viewer-longitude";
const NETWORK: &str = "x-amzn-waf-countersign-network";

/// Returns whether a request came through CloudFront: only CloudFront knows the origin secret.
pub(crate) fn came_through_cloudfront(policy: &ViewerPolicy, headers: &HeaderMap) -> bool {
    let presented = Single::find(headers, ORIGIN_SECRET).value();
    let secret = policy.origin_secret.as_ref();
    secret
        .zip(presented)
        .is_some_and(|(secret, presented)| secret.matches(presented.as_bytes()))
}

/// Returns the viewer's address. The header has the form `203.0.113.7:46532`; IPv6
/// addresses have no brackets either, so the port follows the last colon.
pub(super) fn address(headers: &HeaderMap) -> Option<IpAddr> {
    let (address, port) = text(headers, ADDRESS)?.rsplit_once(':')?;
    port.parse::<u16>().ok()?;
    let bare = address
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    bare.unwrap_or(address).parse().ok()
}

/// Returns the viewer's place and network, if sent. CloudFront does not know the kind of network, but
/// AWS WAF in front of it may: a rule that counts requests labeled by another rule can insert a
/// header, to whose name AWS adds the prefix `x-amzn-waf-`. Viewers who send that header can only
/// harm themselves, since a matching rule overwrites it.
pub(super) fn located(headers: &HeaderMap) -> Located {
    Located {
        place: Place {
            country: text(headers, COUNTRY).and_then(|text| text.parse().ok()),
            city: text(headers, CITY).and_then(city),
            coordinates: coordinates(headers),
            credit: None,
        },
        network: text(headers, NETWORK)
            .and_then(|name| name.parse::<NetworkClass>().ok())
            .unwrap_or_default(),
    }
}

/// Parses a city's name, in which non-ASCII characters are percent-encoded UTF-8.
fn city(text: &str) -> Option<City> {
    let name = percent_decode_str(text).decode_utf8().ok()?;
    City::new(&name)
}

fn coordinates(headers: &HeaderMap) -> Option<Coordinates> {
    let degrees = |name| text(headers, name)?.parse().ok();
    Coordinates::from_degrees(degrees(LATITUDE)?, degrees(LONGITUDE)?).ok()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let value = Single::find(headers, name).value();
    std::str::from_utf8(value.map(HeaderValue::as_bytes)?).ok()
}
