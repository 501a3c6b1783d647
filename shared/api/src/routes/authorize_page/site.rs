//! The names of sites and the origins of sockets, taken from their addresses.

/// Returns the name of the site that an address belongs to: its host with the port, or the scheme of an app's own
/// links (RFC 8252, section 7.1), such as `com.example.app`.
pub(super) fn name(address: &str) -> &str {
    match address.split_once("://") {
        Some(("http" | "https", rest)) => authority(rest),
        _ => address
            .split_once(':')
            .map_or(address, |(scheme, _)| scheme),
    }
}

/// Returns the origin of a WebSocket's URL.
pub(super) fn origin_of_socket(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once("://")?;
    let length = scheme.len() + 3 + authority(rest).len();
    url.get(..length)
}

/// Returns the host and the port at the start of the rest of a URL.
fn authority(rest: &str) -> &str {
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_named_by_host_and_port_or_by_the_scheme_of_its_app() {
        for (address, expected) in [
            ("https://shop.example/callback?x=1", "shop.example"),
            ("https://shop.example:8443", "shop.example:8443"),
            ("http://127.0.0.1:4000/callback", "127.0.0.1:4000"),
            ("http://[::1]:4000/callback", "[::1]:4000"),
            ("com.example.app:/callback", "com.example.app"),
            ("com.example.app://callback", "com.example.app"),
        ] {
            assert_eq!(name(address), expected);
        }
    }

    #[test]
    fn origin_of_a_socket_has_no_path() {
        let origin = origin_of_socket("wss://socket.example:8443/live?x");
        assert_eq!(origin, Some("wss://socket.example:8443"));
        assert_eq!(
            origin_of_socket("ws://127.0.0.1:4000"),
            Some("ws://127.0.0.1:4000")
        );
        assert_eq!(origin_of_socket("nothing"), None);
    }
}
