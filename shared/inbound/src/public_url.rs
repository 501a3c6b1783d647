//! The public address of a route, as the provider calls it.

use std::str::FromStr;

use thiserror::Error;

/// The public address at which providers reach the service, without the route:
/// `https://text.example.com`, optionally with a port and a path. Some providers sign it, so it is
/// configured and never taken from a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(String);

/// The text is not a public address of this form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the public address must be https://, a host, and at most a port and a path without a final slash"
)]
pub struct MalformedPublicUrl;

impl FromStr for PublicUrl {
    type Err = MalformedPublicUrl;

    /// Parses the address. `http` is allowed for test servers.
    fn from_str(text: &str) -> Result<Self, MalformedPublicUrl> {
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))
            .ok_or(MalformedPublicUrl)?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, "x"));
        let (host, port) = split_port(authority);
        let host_fits = !host.is_empty()
            && host
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b".-[]:".contains(&c));
        let port_fits = port.is_none_or(|port| port.parse::<u16>().is_ok());
        let path_fits = !path.is_empty()
            && !path.ends_with('/')
            && path
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"/-._~%".contains(&c));
        if host_fits && port_fits && path_fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedPublicUrl)
        }
    }
}

impl PublicUrl {
    /// Returns the address of a provider's route, which is entered in the provider's console.
    #[must_use]
    pub fn provider_url(&self, provider: &str) -> String {
        format!("{}/inbound-sms/{provider}", self.0)
    }
}

/// Splits a host and the port after it. The colons of an IPv6 address are in brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let after_brackets = authority.rfind(']').map_or(0, |at| at + 1);
    match authority[after_brackets..].find(':') {
        Some(at) => {
            let colon = after_brackets + at;
            (&authority[..colon], Some(&authority[colon + 1..]))
        }
        None => (authority, None),
    }
}

/// Returns an address without its port, and with its port or its scheme's default port.
pub(crate) fn without_and_with_port(url: &str) -> [String; 2] {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (host, port) = split_port(authority);
    let port = port.unwrap_or(if scheme == "http" { "80" } else { "443" });
    [
        format!("{scheme}://{host}{path}"),
        format!("{scheme}://{host}:{port}{path}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_kept_as_it_is_written() {
        for good in [
            "https://text.example.com",
            "https://Text.example.com:8443",
            "https://example.com/base/path",
            "http://127.0.0.1:8787",
            "https://[2001:db8::1]:8443/x",
        ] {
            let url: PublicUrl = good.parse().unwrap();
            assert_eq!(
                url.provider_url("twilio"),
                format!("{good}/inbound-sms/twilio")
            );
        }
    }

    #[test]
    fn other_address_is_refused() {
        for bad in [
            "",
            "example.com",
            "ftp://example.com",
            "https://",
            "https://example.com/",
            "https://example.com/a/",
            "https://user@example.com",
            "https://example.com?x=1",
            "https://example.com/a?x",
            "https://example.com/#a",
            "https://example.com:port",
            "https://example.com:",
            "https://exa mple.com",
        ] {
            assert_eq!(bad.parse::<PublicUrl>(), Err(MalformedPublicUrl), "{bad}");
        }
    }

    #[test]
    fn port_is_removed_and_added() {
        for (url, without, with) in [
            (
                "https://a.b/c?d:e",
                "https://a.b/c?d:e",
                "https://a.b:443/c?d:e",
            ),
            ("http://a.b/c", "http://a.b/c", "http://a.b:80/c"),
            ("https://a.b:8443/c", "https://a.b/c", "https://a.b:8443/c"),
            ("https://[::1]/c", "https://[::1]/c", "https://[::1]:443/c"),
            ("https://[::1]:1/c", "https://[::1]/c", "https://[::1]:1/c"),
        ] {
            assert_eq!(without_and_with_port(url), [without, with]);
        }
    }
}
