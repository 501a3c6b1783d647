//! The server's URL, its mode, and the hosts that it answers to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::http::uri::Authority;
use countersign_domain::web::callback_url::CallbackPolicy;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::is_this_machine;
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
            scheme: if self.0.scheme() == "https" {
                Scheme::Https
            } else {
                Scheme::Http
            },
        })
    }
}

impl fmt::Display for PublicUrl {
    /// Writes the URL without a trailing slash.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// A name by which other devices reach a server in local mode: a host, and a port if it is not the server's
/// own.
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
        // Only a port may follow the host.
        if port.is_none() && host.len() != text.len() {
            return Err(malformed());
        }
        // Browsers write an address in its shortest form.
        let url = Url::parse(&format!("http://{host}")).map_err(|_| malformed())?;
        let host = url.host_str().ok_or_else(malformed)?.to_owned();
        Ok(Self { host, port })
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

/// A name under which the counters may be read. The port is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MetricsHost(String);

impl FromStr for MetricsHost {
    type Err = String;

    /// Parses a host, with or without a port.
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(text.parse::<LocalHost>()?.host))
    }
}

impl MetricsHost {
    /// Returns whether a `Host` has this name.
    pub(crate) fn is_asked_by(&self, host: &str) -> bool {
        host.parse::<Self>().is_ok_and(|asked| asked == *self)
    }
}

impl fmt::Display for MetricsHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The server's addresses and mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    url: String,
    nearby_url: String,
    local_names: Option<LocalNames>,
    /// This machine's host names in local mode.
    local_hosts: Vec<String>,
}

/// The values of `Host` that local mode accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LocalNames(Vec<Name>);

/// A host and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    host: String,
    port: u16,
    scheme: Scheme,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// The port of a `Host` without one.
    const fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl fmt::Display for Name {
    /// Writes the URL of the server under this name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

impl ServerAddress {
    /// Returns the addresses of a server that listens on `bound` and has `public_url`, if any. `local_hosts` are the
    /// names by which others may reach it in local mode; without a public URL, the server's URL uses the first one.
    pub(crate) fn new(
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
            // The unspecified address identifies no host.
            (None, []) if local => nearby_url.clone(),
            (None, []) => format!("http://{bound}"),
        };
        let local_names = local.then(|| {
            let own = |host: String| Name {
                host,
                port: bound.port(),
                scheme: Scheme::Http,
            };
            let ip = match bound.ip() {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            };
            let mut names: Vec<_> = public_url.and_then(PublicUrl::name).into_iter().collect();
            names.extend(local_hosts.iter().map(|named| Name {
                host: named.host.clone(),
                port: named.port_of(bound),
                scheme: Scheme::Http,
            }));
            names.push(own("127.0.0.1".to_owned()));
            names.push(own("localhost".to_owned()));
            names.push(own("[::1]".to_owned()));
            if !bound.ip().is_unspecified() {
                names.push(own(ip));
            }
            LocalNames(names)
        });
        let names = local_names.iter().flat_map(|names| &names.0);
        let local_hosts = names.map(|name| name.host.clone()).collect();
        Self {
            url,
            nearby_url,
            local_names,
            local_hosts,
        }
    }

    /// Returns the URL that callers use, without a trailing slash.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the server's URLs, one for each name in local mode, its own URL first.
    pub(crate) fn pages(&self) -> Vec<String> {
        let mut pages = vec![self.url.clone()];
        let names = self.local_names.iter().flat_map(|names| &names.0);
        for page in names.map(ToString::to_string) {
            if !pages.contains(&page) {
                pages.push(page);
            }
        }
        pages
    }

    /// Returns the URLs for the configured names, without the server's own URL and the one on this machine.
    pub(crate) fn other_pages(&self) -> Vec<String> {
        let is_other = |page: &String| *page != self.url && !self.has_own_port(page);
        let others = self.pages().into_iter().filter(is_other);
        let nearby =
            Some(&self.nearby_url).filter(|nearby| self.is_local() && **nearby != self.url);
        others.chain(nearby.cloned()).collect()
    }

    /// Returns whether a page belongs to the server on this machine, under any address or loopback
    /// name.
    fn has_own_port(&self, page: &str) -> bool {
        let port = |url: &Url| url.port_or_known_default();
        let nearby = Url::parse(&self.nearby_url).ok();
        let page = Url::parse(page).ok();
        page.zip(nearby).is_some_and(|(page, nearby)| {
            port(&page) == port(&nearby) && (is_this_machine(&page) || page.host() == nearby.host())
        })
    }

    /// Returns the policy for callbacks: in local mode they may also go to this machine, under each of the
    /// server's hosts.
    pub(crate) fn callback_policy(&self) -> CallbackPolicy {
        if self.is_local() {
            CallbackPolicy {
                local_hosts: self.local_hosts.clone(),
                ..CallbackPolicy::local()
            }
        } else {
            CallbackPolicy::deployed()
        }
    }

    /// Returns the URL that programs on this machine use, bypassing any proxy.
    pub(crate) fn nearby_url(&self) -> &str {
        &self.nearby_url
    }

    /// Returns the URL of a WebSocket at this path, secure if the server's own URL is.
    pub(crate) fn socket_url(&self, path: &str) -> String {
        socket_url(&self.url, path)
    }

    /// Returns whether the server is in local mode: it listens on loopback or has names for local mode, and its
    /// public URL, if any, is a loopback one.
    pub(crate) const fn is_local(&self) -> bool {
        self.local_names.is_some()
    }

    /// Returns the hosts allowed in `Host`; `None` outside local mode.
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

/// Returns the URL of a WebSocket at this path of a server.
fn socket_url(server: &str, path: &str) -> String {
    let secure = server.strip_prefix("https");
    let rest = secure.or_else(|| server.strip_prefix("http"));
    let scheme = if secure.is_some() { "wss" } else { "ws" };
    format!("{scheme}{}{path}", rest.unwrap_or_default())
}

/// Returns the hosts of links that lead to a local server with these [pages](ServerAddress::pages), preferred host
/// first. Links to localhost use http, so a proxy with TLS in front of it is ignored.
pub(crate) fn link_hosts(pages: &[String]) -> Vec<LinkHost> {
    let mut hosts = Vec::new();
    let urls = pages.iter().filter_map(|page| Url::parse(page).ok());
    for url in urls.filter(|url| url.scheme() == "http" && is_this_machine(url)) {
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            continue;
        };
        for host in ["localhost", host] {
            let parsed = format!("{host}:{port}").parse::<LinkHost>();
            hosts.extend(parsed.ok().filter(LinkHost::is_loopback));
        }
    }
    let mut seen = Vec::new();
    hosts.retain(|host| {
        let is_new = !seen.contains(host);
        seen.push(host.clone());
        is_new
    });
    hosts
}

impl LocalNames {
    /// Returns whether `host` is one of this server's names.
    pub(crate) fn contain(&self, host: &str) -> bool {
        self.named(host).is_some()
    }

    /// Returns the URL of a WebSocket at this path under the name in `host`; `None` if that is not one of this
    /// server's names.
    pub(crate) fn socket_url(&self, host: &str, path: &str) -> Option<String> {
        let name = self.named(host)?;
        Some(socket_url(&name.to_string(), path))
    }

    fn named(&self, host: &str) -> Option<&Name> {
        let authority = host.parse::<Authority>().ok()?;
        let is_asked = |name: &&Name| {
            name.host.eq_ignore_ascii_case(authority.host())
                && authority.port_u16().unwrap_or(name.scheme.port()) == name.port
        };
        self.0.iter().filter(|_| !host.contains('@')).find(is_asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(bound: &str, public_url: Option<&str>) -> ServerAddress {
        let public_url = public_url.map(|url| url.parse().unwrap());
        ServerAddress::new(bound.parse().unwrap(), public_url.as_ref(), &[])
    }

    fn shared(bound: &str, public_url: Option<&str>, hosts: &[&str]) -> ServerAddress {
        let public_url = public_url.map(|url| url.parse().unwrap());
        let hosts: Vec<_> = hosts.iter().map(|host| host.parse().unwrap()).collect();
        ServerAddress::new(bound.parse().unwrap(), public_url.as_ref(), &hosts)
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
    fn pages_are_the_server_under_each_of_its_names() {
        let pages = |bound, public_url, hosts: &[&str]| shared(bound, public_url, hosts).pages();
        let own = [
            "http://127.0.0.1:8787",
            "http://localhost:8787",
            "http://[::1]:8787",
        ];
        assert_eq!(pages("127.0.0.1:8787", None, &[]), own);
        let named = pages("0.0.0.0:8787", None, &["DevBox", "localhost:9000"]);
        assert_eq!(named[..2], ["http://devbox:8787", "http://localhost:9000"]);
        assert_eq!(named[2..], own);
        let lan = pages("192.168.1.2:8787", None, &["devbox"]);
        assert_eq!(lan.last().unwrap(), "http://192.168.1.2:8787");
        let deployed = pages("0.0.0.0:8787", Some("https://a.example"), &[]);
        assert_eq!(deployed, ["https://a.example"]);
    }

    #[test]
    fn greeting_names_each_place_once() {
        let others = |bound, hosts: &[&str]| shared(bound, None, hosts).other_pages();
        assert!(others("127.0.0.1:8787", &[]).is_empty());
        let named = others("0.0.0.0:8787", &["devbox", "localhost:9000"]);
        assert_eq!(named, ["http://localhost:9000", "http://127.0.0.1:8787"]);
        let lan = others("192.168.1.2:8787", &["devbox"]);
        assert_eq!(lan, ["http://192.168.1.2:8787"]);
        let lan = others("192.168.1.2:8787", &["devbox", "192.168.1.2"]);
        assert_eq!(lan, ["http://192.168.1.2:8787"]);
        assert!(others("192.168.1.2:8787", &["192.168.1.2"]).is_empty());
    }

    #[test]
    fn links_lead_to_a_name_of_this_machine_with_its_port() {
        let first = |place: ServerAddress| {
            let hosts = link_hosts(&place.pages());
            hosts.first().map(ToString::to_string)
        };
        for (bound, public_url, hosts, expected) in [
            ("127.0.0.1:8787", None, &[][..], "localhost:8787"),
            ("127.0.0.9:80", None, &[], "localhost"),
            ("0.0.0.0:8787", None, &["devbox"], "localhost:8787"),
            ("0.0.0.0:8787", None, &["devbox:9000"], "localhost:8787"),
            ("0.0.0.0:8787", None, &["localhost:9000"], "localhost:9000"),
            (
                "0.0.0.0:8787",
                None,
                &["devbox", "localhost:9000"],
                "localhost:9000",
            ),
            (
                "127.0.0.1:8787",
                Some("https://localhost"),
                &[],
                "localhost:8787",
            ),
        ] {
            let link_host = first(shared(bound, public_url, hosts));
            assert_eq!(link_host.as_deref(), Some(expected), "{bound} {hosts:?}");
        }
        assert_eq!(
            first(place("0.0.0.0:8787", Some("https://a.example"))),
            None
        );
        let all = link_hosts(&place("127.0.0.1:8787", None).pages());
        let all: Vec<_> = all.iter().map(LinkHost::as_str).collect();
        assert_eq!(all, ["localhost:8787", "127.0.0.1:8787", "[::1]:8787"]);
    }

    #[test]
    fn socket_has_the_name_that_was_asked_for() {
        let place = shared("0.0.0.0:8787", None, &["devbox", "[fd00:0::2]:9000"]);
        let names = place.local_names().unwrap();
        for (host, expected) in [
            ("localhost:8787", Some("ws://localhost:8787/s")),
            ("DevBox:8787", Some("ws://devbox:8787/s")),
            ("[fd00::2]:9000", Some("ws://[fd00::2]:9000/s")),
            ("evil.example:8787", None),
        ] {
            assert_eq!(names.socket_url(host, "/s").as_deref(), expected, "{host}");
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
