//! The link in the QR code: exactly `https://{host}?sessionId=<id>`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::Url;

use crate::primitives::ids::LoginId;
use crate::web::link_host::LinkHost;

/// Query parameter that the mobile SDK reads (mobile SDK, section 2).
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
    /// Id of the login.
    pub id: LoginId,
}

/// The reason why a text is not the link to a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum LinkError {
    /// Not an absolute `https` URL whose host is a name.
    #[error("not a link of the form https://host?sessionId=...")]
    NotALink,
    /// The query has no well-formed `sessionId`.
    #[error("the link has no well-formed sessionId")]
    NoSessionId,
}

impl FromStr for LoginLink {
    type Err = LinkError;

    /// Parses a scanned or opened link. The first `sessionId` in the query counts (mobile SDK,
    /// section 4); other parameters and the fragment are ignored, since systems add some.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > MAX_BYTES {
            return Err(LinkError::NotALink);
        }
        let url = Url::parse(text).map_err(|_| LinkError::NotALink)?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        if url.scheme() != "https" || has_user {
            return Err(LinkError::NotALink);
        }
        let host = LinkHost::of(&url)
            .as_str()
            .parse::<LinkHost>()
            .map_err(|_| LinkError::NotALink)?;
        let id = url
            .query_pairs()
            .find(|(name, _)| name == SESSION_ID)
            .and_then(|(_, id)| id.parse::<LoginId>().ok())
            .ok_or(LinkError::NoSessionId)?;
        Ok(Self { host, id })
    }
}

impl fmt::Display for LoginLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}?{SESSION_ID}={}", self.host, self.id)
    }
}

#[cfg(test)]
mod tests {
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
        for kind in LoginKind::ALL {
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
    fn text_that_is_not_a_link_is_refused() {
        let id = link(LoginKind::Sealed).id;
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
            ("https://a.example".to_owned(), LinkError::NoSessionId),
            (
                "https://a.example?sessionId=".to_owned(),
                LinkError::NoSessionId,
            ),
            (
                format!("https://a.example?sessionid={id}"),
                LinkError::NoSessionId,
            ),
            (
                format!("https://a.example?sessionId=x&sessionId={id}"),
                LinkError::NoSessionId,
            ),
            (
                format!("https://a.example#sessionId={id}"),
                LinkError::NoSessionId,
            ),
        ] {
            assert_eq!(text.parse::<LoginLink>(), Err(error), "{text}");
        }
    }
}
