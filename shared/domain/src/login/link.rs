//! The link in the QR code: exactly `https://{host}?sessionId=<id>`, or `http://` if the host is a loopback name
//! or address.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::Url;

use crate::primitives::ids::LoginId;
use crate::web::link_host::LinkHost;

/// Query parameter of the login's id (mobile SDK, section 2).
const SESSION_ID: &str = "sessionId";

/// Maximum length of a link that is parsed, in bytes.
const MAX_BYTES: usize = 2_048;

/// The link to a login, which the QR code contains and which opens the app on the same phone.
///
/// `Display` writes the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginLink {
    /// Host of the app's links.
    pub host: LinkHost,
    pub id: LoginId,
}

/// The reason why a text is not a login link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum LinkError {
    /// The link is longer than 2,048 bytes.
    #[error("the link is too long")]
    TooLong,
    /// The text is not an absolute URL in visible ASCII characters.
    #[error("not a link of the form https://host?sessionId=...")]
    NotALink,
    /// The scheme is not the [host's](LinkHost::scheme).
    #[error("the link does not begin with https://, or with http:// to this machine itself")]
    WrongScheme,
    #[error("the link has a user name or a password before its host")]
    UserInfo,
    /// The host is malformed, or an IP address other than a loopback one.
    #[error("the link's host is not a host name")]
    NotAName,
    /// The link has a path between the host and the query.
    #[error("the link has a path")]
    Path,
    /// The query has no `sessionId`.
    #[error("the link has no sessionId")]
    SessionIdMissing,
    /// The first `sessionId` of the query is not the id of a login.
    #[error("the link has no well-formed sessionId")]
    SessionIdMalformed,
}

impl FromStr for LoginLink {
    type Err = LinkError;

    /// Parses a scanned or opened link, with or without a slash before the query. The first
    /// `sessionId` is used (mobile SDK, section 4); other parameters and the fragment are ignored,
    /// because some systems add them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_BYTES {
            return Err(LinkError::TooLong);
        }
        // URL parsers drop or replace these characters, so two parsers could read the same text as
        // different links.
        if text.bytes().any(|c| !c.is_ascii_graphic() || c == b'\\') {
            return Err(LinkError::NotALink);
        }
        let url = Url::parse(text).map_err(|_| LinkError::NotALink)?;
        if !["https", "http"].contains(&url.scheme()) {
            return Err(LinkError::WrongScheme);
        }
        // Some parsers add missing slashes.
        let rest = text[url.scheme().len()..].strip_prefix("://");
        if rest.is_none_or(|rest| rest.starts_with('/')) {
            return Err(LinkError::NotALink);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(LinkError::UserInfo);
        }
        let host = LinkHost::from_url(&url).as_str().parse::<LinkHost>();
        let host = host.map_err(|_| LinkError::NotAName)?;
        if url.scheme() != host.scheme() {
            return Err(LinkError::WrongScheme);
        }
        if url.path() != "/" {
            return Err(LinkError::Path);
        }
        let mut parameters = url.query_pairs();
        let (_, id) = parameters
            .find(|(name, _)| name == SESSION_ID)
            .ok_or(LinkError::SessionIdMissing)?;
        let id = id.parse::<LoginId>();
        let id = id.map_err(|_| LinkError::SessionIdMalformed)?;
        Ok(Self { host, id })
    }
}

impl fmt::Display for LoginLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, host) = (self.host.scheme(), &self.host);
        write!(f, "{scheme}://{host}?{SESSION_ID}={}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;
    use crate::primitives::ids::LoginKind;

    fn link(kind: LoginKind) -> LoginLink {
        LoginLink {
            host: "login.shop.example".parse::<LinkHost>().unwrap(),
            id: LoginId::from_bytes(kind, [0xab; 16]),
        }
    }

    #[test]
    fn link_has_the_specified_form() {
        let digits = "ab".repeat(16);
        let text = |kind| link(kind).to_string();
        let sealed = format!("https://login.shop.example?sessionId=qrs_{digits}");
        assert_eq!(text(LoginKind::Sealed), sealed);
        let plain = format!("https://login.shop.example?sessionId=qrp_{digits}");
        assert_eq!(text(LoginKind::Plain), plain);
    }

    #[test]
    fn link_round_trips_through_text() {
        for &kind in LoginKind::VARIANTS {
            let link = link(kind);
            assert_eq!(link.to_string().parse::<LoginLink>(), Ok(link));
        }
    }

    #[test]
    fn added_slash_parameters_and_fragment_are_accepted() {
        let link = link(LoginKind::Sealed);
        let id = link.id;
        for text in [
            format!("https://login.shop.example/?sessionId={id}"),
            format!("https://login.shop.example/?a=1&sessionId={id}&sessionId=x"),
            format!("HTTPS://LOGIN.SHOP.EXAMPLE?sessionId={id}#"),
            format!("https://login.shop.example?sessionId={id}#:~:text=a"),
        ] {
            assert_eq!(text.parse::<LoginLink>(), Ok(link.clone()), "{text}");
        }
    }

    #[test]
    fn link_to_the_machine_itself_has_http() {
        let id = link(LoginKind::Sealed).id;
        for host in [
            "localhost:8787",
            "127.0.0.1:8787",
            "[::1]:8787",
            "localhost",
        ] {
            let text = format!("http://{host}?sessionId={id}");
            let host = host.parse::<LinkHost>().unwrap();
            let link = LoginLink { host, id };
            assert_eq!(link.to_string(), text);
            assert_eq!(text.parse::<LoginLink>(), Ok(link));
        }
    }

    #[test]
    fn text_that_is_not_a_link_is_refused_with_a_reason() {
        let id = link(LoginKind::Sealed).id;
        let with = |start: &str| format!("{start}?sessionId={id}");
        for (text, error) in [
            (String::new(), LinkError::NotALink),
            (id.to_string(), LinkError::NotALink),
            (with("https:a.example"), LinkError::NotALink),
            (with("https:/a.example"), LinkError::NotALink),
            (with("https:///a.example"), LinkError::NotALink),
            (with("https:\\\\a.example"), LinkError::NotALink),
            (with(" https://a.example"), LinkError::NotALink),
            (with("https://a.exa\nmple"), LinkError::NotALink),
            (with("https://bücher.example"), LinkError::NotALink),
            (with("https://a.example:99999"), LinkError::NotALink),
            (with("https://"), LinkError::NotALink),
            (with("http://a.example"), LinkError::WrongScheme),
            (with("countersign://a.example"), LinkError::WrongScheme),
            (with("https://localhost:8787"), LinkError::WrongScheme),
            (with("https://127.0.0.1"), LinkError::WrongScheme),
            (with("https://[::1]"), LinkError::WrongScheme),
            (with("http://localhost.a.example"), LinkError::WrongScheme),
            (with("http:localhost"), LinkError::NotALink),
            (with("http:///localhost"), LinkError::NotALink),
            (with("http://u@localhost"), LinkError::UserInfo),
            (with("http://127.0.0.2"), LinkError::NotAName),
            (with("http://192.168.1.2"), LinkError::NotAName),
            (with("http://[::ffff:127.0.0.1]"), LinkError::NotAName),
            (with("http://localhost."), LinkError::NotAName),
            (with("http://localhost/login"), LinkError::Path),
            (with("https://u@a.example"), LinkError::UserInfo),
            (with("https://:p@a.example"), LinkError::UserInfo),
            (with("https://a.example."), LinkError::NotAName),
            (with("https://a.example/login"), LinkError::Path),
            (with("https://a.example//"), LinkError::Path),
            ("https://a.example".to_owned(), LinkError::SessionIdMissing),
            (
                format!("https://a.example?sessionid={id}"),
                LinkError::SessionIdMissing,
            ),
            (
                format!("https://a.example#sessionId={id}"),
                LinkError::SessionIdMissing,
            ),
            (
                "https://a.example?sessionId=".to_owned(),
                LinkError::SessionIdMalformed,
            ),
            (
                format!("https://a.example?sessionId=x&sessionId={id}"),
                LinkError::SessionIdMalformed,
            ),
            (
                format!("https://a.example?a={}&sessionId={id}", "x".repeat(2_000)),
                LinkError::TooLong,
            ),
        ] {
            assert_eq!(text.parse::<LoginLink>(), Err(error), "{text}");
        }
    }
}
