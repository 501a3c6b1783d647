//! Checks of options, when a client is built and when a handler is mounted.
//!
//! An unset environment variable must not become a default that checks less, so empty values are
//! rejected.

use std::net::{IpAddr, Ipv4Addr};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use url::{Host, Url};

use crate::error::Error;

/// Minimum length of a webhook secret, in bytes.
const MIN_SECRET: usize = 16;
const PRIVATE_SUFFIXES: [&str; 5] = [
    ".internal",
    ".local",
    ".localhost",
    ".svc",
    ".svc.cluster.local",
];

/// Checks and returns a key. Other characters would be rejected later, by errors that quote the
/// key.
pub(crate) fn key(name: &str, value: &str) -> Result<String, Error> {
    if value.is_empty() {
        return Err(Error::invalid(format!("{name} is empty")));
    }
    if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::invalid(format!(
            "{name} has characters that no key has, such as a line feed at its end"
        )));
    }
    Ok(value.to_owned())
}

/// Checks that a text is not empty, and returns it.
pub(crate) fn text<'a>(name: &str, value: &'a str) -> Result<&'a str, Error> {
    if value.is_empty() {
        return Err(Error::invalid(format!("{name} is empty")));
    }
    Ok(value)
}

/// Checks and returns the origin of a page. An origin in a different form would match no request.
pub(crate) fn origin(text: &str) -> Result<&str, Error> {
    let parsed = Url::parse(text).ok();
    let is_web = |url: &&Url| matches!(url.scheme(), "https" | "http") && url.has_host();
    // The parser normalizes URLs, so the comparison rejects paths, users, default ports and capitals.
    if parsed
        .as_ref()
        .filter(is_web)
        .is_some_and(|url| url.origin().ascii_serialization() == text)
    {
        return Ok(text);
    }
    Err(Error::invalid(
        "origin is not an origin as browsers send it, such as https://shop.example",
    ))
}

/// Checks and returns the service's URL.
///
/// Over plain http, anyone on the network path could read the API key and answer with other keys.
pub(crate) fn base_url(text: &str, unencrypted: bool) -> Result<Url, Error> {
    let is_visible = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    let parsed = Url::parse(text).ok().filter(|_| is_visible);
    let url = parsed.ok_or_else(|| Error::invalid("url is not a URL"))?;
    let is_plain = url.scheme() == "http" && (is_loopback(&url) || unencrypted && is_private(&url));
    if url.scheme() != "https" && !is_plain {
        return Err(Error::invalid(
            "url must begin with https://, or name this machine, or a private host with allow_unencrypted_http",
        ));
    }
    let has_user = !url.username().is_empty() || url.password().is_some();
    if !url.has_host() || has_user || url.query().is_some() || url.fragment().is_some() {
        return Err(Error::invalid(
            "url must have a host, and no user, query or fragment",
        ));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// Returns whether an address or a name can only lead into a private network.
fn is_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => is_private_address(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_private_address(IpAddr::V6(address)),
        Some(Host::Domain(name)) => {
            !name.contains('.') || PRIVATE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        }
        None => false,
    }
}

fn is_private_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_private() || v4.is_loopback() || v4.is_link_local() || is_carriers(v4)
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local(),
    }
}

/// Returns whether an address is in the shared address space of carriers (RFC 6598): 100.64.0.0/10.
fn is_carriers(address: Ipv4Addr) -> bool {
    let [first, second, ..] = address.octets();
    first == 100 && second & 0xc0 == 64
}

/// Decodes a webhook secret.
pub(crate) fn webhook_secret(secret: &str) -> Result<Vec<u8>, Error> {
    let encoded = secret.strip_prefix("whsec_");
    let decoded = encoded.and_then(|encoded| BASE64_STANDARD.decode(encoded).ok());
    decoded
        .filter(|bytes| bytes.len() >= MIN_SECRET)
        .ok_or_else(|| Error::invalid("webhook_secret must be whsec_ and Base64"))
}
