//! The addresses that proxies add to `X-Forwarded-For`.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName};

use super::policy::ViewerPolicy;

const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the caller's address, as reported by trusted proxies. Each proxy appends the address
/// that called it to the list. The list is therefore read from its end for as long as the last
/// address found belongs to a trusted proxy. Entries before that may be forged.
pub(super) fn address(policy: &ViewerPolicy, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let trusted = |address| {
        let mut proxies = policy.trusted_proxies.iter();
        proxies.any(|proxy| proxy.contains(address))
    };
    let lines = headers.get_all(FORWARDED).iter().rev();
    let mut hops = lines.flat_map(|line| line.as_bytes().rsplit(|c| *c == b','));
    let mut address = peer;
    while trusted(address) {
        let Some(hop) = hops.next().and_then(hop) else {
            break;
        };
        address = hop;
    }
    address
}

/// Parses an entry of the list. Some proxies add the port, and brackets around IPv6.
fn hop(text: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(text.trim_ascii()).ok()?;
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let address = bare.unwrap_or(text).parse().ok();
    address.or_else(|| {
        text.parse()
            .ok()
            .map(|with_port: SocketAddr| with_port.ip())
    })
}
