//! The link in the code: `https://{host}?sessionId=<id>`, with `#k=` where the browser has a key.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::Url;

use super::browser_key::BrowserKeyHash;
use crate::primitives::ids::LoginId;
use crate::web::link_host::LinkHost;

/// The query parameter that the mobile SDK reads (mobile SDK, section 2).
const SESSION_ID: &str = "sessionId";

/// The longest link that is read, in bytes.
const MAX_BYTES: usize = 2_048;

/// A session's link: what the code says, and what opens the app on the same phone.
///
/// `Display` writes it. The fragment never reaches a server, so that a client which reads
/// `sessionId` alone works without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginLink {
    /// The app's host.
    pub host: LinkHost,
    /// The session.
    pub id: LoginId,
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

impl FromStr for LoginLink {
    type Err = LinkError;

    /// Reads a link that was scanned or opened: the first `sessionId` of its query counts (mobile
    /// SDK, section 4).
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
            .ok_or(LinkError::NoSession)?;
        let mut members = url.fragment().unwrap_or_default().split('&');
        let key = members
            .find_map(|member| member.strip_prefix("k="))
            .map(str::parse::<BrowserKeyHash>)
            .transpose()
            .map_err(|_| LinkError::MalformedKey)?;
        Ok(Self { host, id, key })
    }
}

impl fmt::Display for LoginLink {
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
    use crate::login::browser_key::BrowserPublicKey;

    fn link(keyed: bool) -> LoginLink {
        let key = BrowserPublicKey::from_bytes([4; 65]).unwrap();
        LoginLink {
            host: "login.shop.example".parse::<LinkHost>().unwrap(),
            id: LoginId::from_bytes([0xab; 16]),
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
            assert_eq!(link.to_string().parse::<LoginLink>(), Ok(link));
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
            assert_eq!(text.parse::<LoginLink>(), Ok(link(false)), "{text}");
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
            assert_eq!(text.parse::<LoginLink>(), Err(error), "{text}");
        }
    }
}
