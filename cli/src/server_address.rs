//! The server's URL, its mode, and the hosts that it answers to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::http::uri::Authority;
use url::{Host, Url};

/// A URL that callers use: scheme, host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicUrl(Url);

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| error.to_string())?;
        let bare = matches!(url.scheme(), "http" | "https")
            && url.host().is_some()
            && url.username().is_empty()
            && url.password().is_none()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none();
        if bare {
            Ok(Self(url))
        } else {
            Err("a public URL must be https://HOST or https://HOST:PORT, without a path".to_owned())
        }
    }
}

impl PublicUrl {
    fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    fn name(&self) -> Option<Name> {
        Some(Name {
            host: self.0.host_str()?.to_owned(),
            port: self.0.port_or_known_default()?,
            default_port: if self.0.scheme() == "https" { 443 } else { 80 },
        })
    }
}

impl fmt::Display for PublicUrl {
    /// Writes the URL without a trailing slash.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// A name by which developers reach a server in local mode from elsewhere: a host, and a port if it is not the
/// server's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalHost {
    host: String,
    port: Option<u16>,
}

impl FromStr for LocalHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let plain = |c: u8| c.is_ascii_alphanumeric() || b".-_:[]".contains(&c);
        let malformed = || "must be a host, or HOST:PORT".to_owned();
        if text.len() > 255 || !text.bytes().all(plain) {
            return Err(malformed());
        }
        let authority = text.parse::<Authority>().map_err(|_| malformed())?;
        let (host, port) = (authority.host(), authority.port_u16());
        // What follows the host must be a port.
        if port.is_none() && host.len() != text.len() {
            return Err(malformed());
        }
        Ok(Self {
            host: host.to_ascii_lowercase(),
            port,
        })
    }
}

impl LocalHost {
    fn port_of(&self, bound: SocketAddr) -> u16 {
        self.port.unwrap_or_else(|| bound.port())
    }
}

impl fmt::Display for LocalHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// The server's addresses and mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    url: String,
    nearby_url: String,
    local_names: Option<LocalNames>,
}

/// The hosts that `Host` may name in local mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalNames(Vec<Name>);

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    host: String,
    port: u16,
    /// The port of a `Host` that names none.
    default_port: u16,
}

impl ServerAddress {
    /// Returns the place of a server that listens on `bound` and has `public_url`, if any. `local_hosts` are the
    /// names by which others may reach it in local mode; without a public URL, the first one is in the server's URL.
    pub(crate) fn of(
        bound: SocketAddr,
        public_url: Option<&PublicUrl>,
        local_hosts: &[LocalHost],
    ) -> Self {
        let is_for_this_machine = bound.ip().is_loopback() || !local_hosts.is_empty();
        let local = is_for_this_machine && public_url.is_none_or(PublicUrl::is_loopback);
        let nearby_url = format!("http://{}", reachable(bound));
        let url = match (public_url, local_hosts) {
            (Some(url), _) => url.to_string(),
            (None, [first, ..]) => format!("http://{}:{}", first.host, first.port_of(bound)),
            // Every address together is the name of none.
            (None, []) if local => nearby_url.clone(),
            (None, []) => format!("http://{bound}"),
        };
        let local_names = local.then(|| {
            let own = |host: String| Name {
                host,
                port: bound.port(),
                default_port: 80,
            };
            let ip = match bound.ip() {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            };
            let mut names = vec![
                own("localhost".to_owned()),
                own("127.0.0.1".to_owned()),
                own("[::1]".to_owned()),
                own(ip),
            ];
            names.extend(public_url.and_then(PublicUrl::name));
            names.extend(local_hosts.iter().map(|named| Name {
                host: named.host.clone(),
                port: named.port_of(bound),
                default_port: 80,
            }));
            LocalNames(names)
        });
        Self {
            url,
            nearby_url,
            local_names,
        }
    }

    /// Returns the URL that callers use, without a trailing slash.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the URL that programs on this machine use, bypassing any proxy.
    pub(crate) fn nearby_url(&self) -> &str {
        &self.nearby_url
    }

    /// Returns the URL of a WebSocket at this path, secure if the server's own URL is.
    pub(crate) fn socket_url(&self, path: &str) -> String {
        let secure = self.url.strip_prefix("https");
        let rest = secure.or_else(|| self.url.strip_prefix("http"));
        let scheme = if secure.is_some() { "wss" } else { "ws" };
        format!("{scheme}{}{path}", rest.unwrap_or_default())
    }

    /// Returns whether the server is in local mode: it listens on loopback or was given names for local mode, and
    /// its public URL, if any, is a loopback one.
    pub(crate) const fn is_local(&self) -> bool {
        self.local_names.is_some()
    }

    /// Returns the hosts that `Host` may name; `None` outside local mode.
    pub(crate) const fn local_names(&self) -> Option<&LocalNames> {
        self.local_names.as_ref()
    }
}

/// Returns an address to connect to: loopback if the server listens on every address.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(every) if every.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(every) if every.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}

impl LocalNames {
    /// Returns whether `host` names this server.
    pub(crate) fn contain(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        if host.contains('@') {
            return false;
        }
        let named = |name: &Name| {
            name.host.eq_ignore_ascii_case(authority.host())
                && authority.port_u16().unwrap_or(name.default_port) == name.port
        };
        self.0.iter().any(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(bound: &str, public_url: Option<&str>) -> ServerAddress {
        let public_url = public_url.map(|url| url.parse().unwrap());
        ServerAddress::of(bound.parse().unwrap(), public_url.as_ref(), &[])
    }

    fn shared(bound: &str, public_url: Option<&str>, hosts: &[&str]) -> ServerAddress {
        let public_url = public_url.map(|url| url.parse().unwrap());
        let hosts: Vec<_> = hosts.iter().map(|host| host.parse().unwrap()).collect();
        ServerAddress::of(bound.parse().unwrap(), public_url.as_ref(), &hosts)
    }

    #[test]
    fn named_server_is_local_on_every_address_and_answers_to_its_names() {
        let place = shared("0.0.0.0:8787", None, &["Server", "192.168.1.2:9000"]);
        assert!(place.is_local());
        assert_eq!(place.url(), "http://server:8787");
        assert_eq!(place.nearby_url(), "http://127.0.0.1:8787");
        let names = place.local_names().unwrap();
        for own in [
            "server:8787",
            "SERVER:8787",
            "192.168.1.2:9000",
            "localhost:8787",
        ] {
            assert!(names.contain(own), "{own}");
        }
        for foreign in [
            "server",
            "server:9000",
            "192.168.1.2:8787",
            "evil.example:8787",
        ] {
            assert!(!names.contain(foreign), "{foreign}");
        }
        let public = Some("https://verify.example");
        assert!(!shared("127.0.0.1:8787", public, &["server"]).is_local());
        for bad in [
            "", "a@b", "a:", "a:x", "a/b", "http://a", "*", "a b", "a,b", "a\u{7}",
        ] {
            assert!(bad.parse::<LocalHost>().is_err(), "{bad}");
        }
    }

    #[test]
    fn loopback_without_a_remote_public_url_is_local() {
        for (bound, public_url) in [
            ("127.0.0.1:8787", None),
            ("127.0.0.9:8787", None),
            ("[::1]:8787", None),
            ("127.0.0.1:8787", Some("http://localhost:9000")),
            ("127.0.0.1:8787", Some("https://[::1]")),
        ] {
            assert!(
                place(bound, public_url).is_local(),
                "{bound} {public_url:?}"
            );
        }
        for (bound, public_url) in [
            ("0.0.0.0:8787", None),
            ("[::]:8787", None),
            ("192.168.1.2:8787", None),
            ("[::ffff:127.0.0.1]:8787", None),
            ("127.0.0.1:8787", Some("https://verify.example")),
            ("127.0.0.1:8787", Some("https://localhost.example")),
            ("0.0.0.0:8787", Some("http://localhost:8787")),
        ] {
            assert!(
                !place(bound, public_url).is_local(),
                "{bound} {public_url:?}"
            );
        }
    }

    #[test]
    fn url_is_the_public_one_or_the_address() {
        assert_eq!(place("127.0.0.1:8787", None).url(), "http://127.0.0.1:8787");
        assert_eq!(place("[::1]:80", None).url(), "http://[::1]:80");
        let public = place("0.0.0.0:8787", Some("https://Verify.example/"));
        assert_eq!(public.url(), "https://verify.example");
    }

    #[test]
    fn nearby_url_is_the_listening_address() {
        let public = Some("https://verify.example");
        for (bound, nearby) in [
            ("127.0.0.1:8787", "http://127.0.0.1:8787"),
            ("192.0.2.7:8787", "http://192.0.2.7:8787"),
            ("0.0.0.0:8787", "http://127.0.0.1:8787"),
            ("[::]:8787", "http://[::1]:8787"),
        ] {
            assert_eq!(place(bound, public).nearby_url(), nearby);
        }
    }

    #[test]
    fn public_url_with_a_path_is_refused() {
        for bad in [
            "verify.example",
            "ftp://a.example",
            "https://a.example/x",
            "https://u@a.example",
            "https://a.example?q",
        ] {
            assert!(bad.parse::<PublicUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_loopback_names_with_the_right_port_are_accepted() {
        let place = place("127.0.0.1:8787", Some("http://localhost:80"));
        let names = place.local_names().unwrap();
        for own in [
            "127.0.0.1:8787",
            "localhost:8787",
            "LOCALHOST:8787",
            "[::1]:8787",
            "localhost",
            "localhost:80",
        ] {
            assert!(names.contain(own), "{own}");
        }
        for foreign in [
            "",
            "127.0.0.1",
            "127.0.0.1:8788",
            "evil.example:8787",
            "localhost.evil.example:8787",
            "evil@localhost:8787",
            "127.0.0.1:8787, evil.example",
            "127.1:8787",
            "0.0.0.0:8787",
        ] {
            assert!(!names.contain(foreign), "{foreign}");
        }
    }
}
