//! The link in the code: `https://{host}?sessionId=<id>`, with `#k=` where the browser has a key.

use std::fmt;

use thiserror::Error;
use url::{Host, Url};

use super::browser_key::BrowserKeyHash;
use super::id::QrSessionId;

/// The query parameter that the mobile SDK reads (mobile SDK, section 2).
const SESSION_ID: &str = "sessionId";

/// The longest link that is read, in bytes.
const MAX_BYTES: usize = 2_048;

/// The host of an app's links: a name in lower case, with a port where it is not 443. Phones that
/// have the app open its links in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkHost(String);

/// A text that is no host of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a link host is a name with a port at most, as in login.shop.example")]
pub struct MalformedLinkHost;

impl LinkHost {
    /// Reads a host. Addresses are refused: app links are verified for names alone.
    pub fn parse(text: &str) -> Result<Self, MalformedLinkHost> {
        let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b':');
        if text.is_empty() || text.len() > 260 || !text.bytes().all(plain) {
            return Err(MalformedLinkHost);
        }
        let url = Url::parse(&format!("https://{text}")).map_err(|_| MalformedLinkHost)?;
        match url.host() {
            Some(Host::Domain(name)) if is_name(name) && !text.ends_with(':') => Ok(Self::of(&url)),
            _ => Err(MalformedLinkHost),
        }
    }

    fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        Self(match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    }

    /// The host's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

impl fmt::Display for LinkHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for LinkHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A session's link: what the code says, and what opens the app on the same phone.
///
/// `Display` writes it. The fragment never reaches a server, so that a client which reads
/// `sessionId` alone works without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLink {
    /// The app's host.
    pub host: LinkHost,
    /// The session.
    pub id: QrSessionId,
    /// The hash of the browser's key, where it has one.
    pub key: Option<BrowserKeyHash>,
}

/// A text that is no session's link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkError {
    /// Not an absolute `https` URL with a name.
    #[error("not a link of the form https://host?sessionId=...")]
    NotALink,
    /// The query has no `sessionId`, or one that is none.
    #[error("the link has no well-formed sessionId")]
    NoSession,
    /// The fragment has a `k` that is no hash. To go on without it would be to trust whoever cut
    /// it.
    #[error("the link's k is not the hash of a key")]
    MalformedKey,
}

impl SessionLink {
    /// Reads a link that was scanned or opened: the first `sessionId` of its query counts (mobile
    /// SDK, section 4).
    pub fn parse(text: &str) -> Result<Self, LinkError> {
        if text.len() > MAX_BYTES {
            return Err(LinkError::NotALink);
        }
        let url = Url::parse(text).map_err(|_| LinkError::NotALink)?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        if url.scheme() != "https" || has_user {
            return Err(LinkError::NotALink);
        }
        let host = LinkHost::parse(LinkHost::of(&url).as_str()).map_err(|_| LinkError::NotALink)?;
        let id = url
            .query_pairs()
            .find(|(name, _)| name == SESSION_ID)
            .and_then(|(_, id)| QrSessionId::parse(&id).ok())
            .ok_or(LinkError::NoSession)?;
        let mut members = url.fragment().unwrap_or_default().split('&');
        let key = members
            .find_map(|member| member.strip_prefix("k="))
            .map(BrowserKeyHash::parse)
            .transpose()
            .map_err(|_| LinkError::MalformedKey)?;
        Ok(Self { host, id, key })
    }
}

impl fmt::Display for SessionLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}?{SESSION_ID}={}", self.host, self.id)?;
        match &self.key {
            Some(key) => write!(f, "#k={key}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qr_session::browser_key::BrowserPublicKey;

    fn link(keyed: bool) -> SessionLink {
        let key = BrowserPublicKey::from_bytes([4; 65]).unwrap();
        SessionLink {
            host: LinkHost::parse("login.shop.example").unwrap(),
            id: QrSessionId::from_bytes([0xab; 16]),
            key: keyed.then(|| key.hash()),
        }
    }

    #[test]
    fn a_link_has_the_specified_shape() {
        let id = "qrs_abababababababababababababababab";
        let plain = format!("https://login.shop.example?sessionId={id}");
        assert_eq!(link(false).to_string(), plain);
        let hash = link(true).key.unwrap();
        assert_eq!(link(true).to_string(), format!("{plain}#k={hash}"));
    }

    #[test]
    fn a_link_reads_back() {
        for keyed in [false, true] {
            let link = link(keyed);
            assert_eq!(SessionLink::parse(&link.to_string()), Ok(link));
        }
    }

    #[test]
    fn browsers_may_add_a_slash_and_others_may_add_parameters() {
        let id = link(false).id;
        for text in [
            format!("https://login.shop.example/?sessionId={id}"),
            format!("https://login.shop.example/?a=1&sessionId={id}&sessionId=x"),
            format!("HTTPS://LOGIN.SHOP.EXAMPLE?sessionId={id}#"),
        ] {
            assert_eq!(SessionLink::parse(&text), Ok(link(false)), "{text}");
        }
    }

    #[test]
    fn what_is_no_link_is_refused() {
        let id = link(false).id;
        for (text, error) in [
            (String::new(), LinkError::NotALink),
            (id.to_string(), LinkError::NotALink),
            (
                format!("http://a.example?sessionId={id}"),
                LinkError::NotALink,
            ),
            (
                format!("https://127.0.0.1?sessionId={id}"),
                LinkError::NotALink,
            ),
            (
                format!("https://u@a.example?sessionId={id}"),
                LinkError::NotALink,
            ),
            ("https://a.example".to_owned(), LinkError::NoSession),
            (
                "https://a.example?sessionId=".to_owned(),
                LinkError::NoSession,
            ),
            (
                format!("https://a.example?sessionid={id}"),
                LinkError::NoSession,
            ),
            (
                format!("https://a.example?sessionId=x&sessionId={id}"),
                LinkError::NoSession,
            ),
            (
                format!("https://a.example?sessionId={id}#k=abc"),
                LinkError::MalformedKey,
            ),
            (
                format!("https://a.example?sessionId={id}#k="),
                LinkError::MalformedKey,
            ),
        ] {
            assert_eq!(SessionLink::parse(&text), Err(error), "{text}");
        }
    }

    #[test]
    fn hosts_are_names() {
        for (text, expected) in [
            ("Login.Shop.Example", "login.shop.example"),
            ("localhost:8443", "localhost:8443"),
            ("a.example:443", "a.example"),
        ] {
            assert_eq!(LinkHost::parse(text).unwrap().as_str(), expected);
        }
        for text in [
            "",
            "a.example/",
            "https://a.example",
            "a b",
            "1.2.3.4",
            "[::1]",
            "a..b",
            ".a",
            "a.",
            "-a.example",
            "a.example:",
            "a.example:99999",
            "user@a.example",
            "a_b.example",
        ] {
            assert_eq!(LinkHost::parse(text), Err(MalformedLinkHost), "{text}");
        }
    }
}
