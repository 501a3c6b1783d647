//! Redirect URIs: where the OpenID provider sends browsers after a login or a logout.
//!
//! A client's request must name a listed URI letter by letter (RFC 9700, section 2.1). Only the text that a
//! browser would write is a redirect URI, so two texts for the same page do not exist, and a parser that reads one
//! differently from a browser finds nothing to disagree about.

use std::fmt;
use std::str::FromStr;

use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;
use url::Url;
use url::form_urlencoded::Serializer;

#[cfg(test)]
mod tests;

/// Maximum length of a redirect URI in bytes.
pub const MAX_REDIRECT_URI: usize = 1024;

/// The addresses at which a native app on the same machine listens, on a port that the system chooses (RFC 8252,
/// section 7.3). `localhost` is not among them, because a resolver decides where it leads.
const LOOPBACK: [&str; 2] = ["http://127.0.0.1", "http://[::1]"];

/// The parameters that the provider adds to a redirect URI.
const OURS: [&str; 5] = ["code", "state", "iss", "error", "error_description"];

/// A page of a site (`https`, or `http` on the developer's machine), or a native app's private-use scheme
/// (RFC 8252, section 7.1).
#[derive(Clone, Debug, PartialEq, Eq, Hash, SerializeDisplay, DeserializeFromStr)]
pub struct RedirectUri(String);

/// The reason why a text is not a redirect URI, with what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MalformedRedirectUri {
    #[error("a redirect URI must not be longer than {MAX_REDIRECT_URI} bytes")]
    TooLong,
    #[error(
        "a redirect URI is a whole address, such as https://shop.example/callback: in ASCII, without spaces, the host \
         in Punycode and the path percent-encoded"
    )]
    Malformed,
    /// A browser would go to the same page under another text.
    #[error("a redirect URI is written as browsers write it: {0}")]
    NotNormal(String),
    #[error(
        "redirect URIs are compared letter by letter, so * stands for nothing else; list each one"
    )]
    Pattern,
    /// The scheme is `http`, but the host is not this machine.
    #[error("a redirect URI begins with https://; http:// is for 127.0.0.1, [::1] and localhost")]
    NotHttps,
    /// A scheme that is not the reversed name of a domain may belong to any app, or to the browser.
    #[error(
        "the scheme of an app's redirect URI is the reversed name of its domain, followed by :/, such as \
         com.example.shop:/callback"
    )]
    Scheme,
    /// Browsers treat a host with a final dot as a different one.
    #[error("the host of a redirect URI must not end with a dot")]
    FinalDot,
    #[error("a redirect URI must not contain a user name or a password")]
    UserInfo,
    #[error("a redirect URI must not have a fragment (#)")]
    Fragment,
    #[error("the query of a redirect URI must not contain {0}, which the answer adds")]
    OwnParameter(&'static str),
}

impl RedirectUri {
    /// Returns the text, exactly as it is compared.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether this is a native app's private-use scheme.
    #[must_use]
    pub fn has_private_scheme(&self) -> bool {
        !self.0.starts_with("https:") && !self.0.starts_with("http:")
    }

    /// Returns the name to show to people: the host with its port, or an app's private-use scheme.
    #[must_use]
    pub fn site(&self) -> &str {
        match self.0.split_once("://") {
            Some((_, rest)) if !self.has_private_scheme() => {
                rest.split(['/', '?']).next().unwrap_or(rest)
            }
            _ => self.0.split(':').next().unwrap_or(&self.0),
        }
    }

    /// Returns whether both are the same page of a native app on this machine, on whatever port.
    #[must_use]
    pub fn is_same_but_for_port(&self, other: &Self) -> bool {
        let own = self.without_loopback_port();
        own.is_some() && own == other.without_loopback_port()
    }

    /// Returns the address and what follows the port; `None` if the host is not a loopback address.
    fn without_loopback_port(&self) -> Option<(&'static str, &str)> {
        LOOPBACK.into_iter().find_map(|address| {
            let rest = self.0.strip_prefix(address)?;
            let rest = match rest.strip_prefix(':') {
                Some(port) => port.trim_start_matches(|c: char| c.is_ascii_digit()),
                None => rest,
            };
            Some((address, rest))
        })
    }

    /// Returns the address to send the browser to: the URI with these parameters added to its query.
    #[must_use]
    pub fn with<'a>(&self, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
        let mut address = self.0.clone();
        match address.find('?') {
            None => address.push('?'),
            Some(at) if at + 1 == address.len() => {}
            Some(_) => address.push('&'),
        }
        let start = address.len();
        let mut query = Serializer::for_suffix(address, start);
        query.extend_pairs(parameters);
        query.finish()
    }
}

impl FromStr for RedirectUri {
    type Err = MalformedRedirectUri;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        use MalformedRedirectUri as Error;
        if text.len() > MAX_REDIRECT_URI {
            return Err(Error::TooLong);
        }
        if !text.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(Error::Malformed);
        }
        if text.contains('*') {
            return Err(Error::Pattern);
        }
        let url = Url::parse(text).map_err(|_| Error::Malformed)?;
        match (url.scheme(), url.host_str().unwrap_or_default()) {
            ("https", _) | ("http", "127.0.0.1" | "[::1]" | "localhost") => {}
            ("http", _) => return Err(Error::NotHttps),
            (scheme, _) if is_reversed_domain(scheme) && !url.cannot_be_a_base() => {}
            _ => return Err(Error::Scheme),
        }
        if url.host_str().is_some_and(|host| host.ends_with('.')) {
            return Err(Error::FinalDot);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::UserInfo);
        }
        if url.fragment().is_some() {
            return Err(Error::Fragment);
        }
        let mut names = url.query_pairs();
        if let Some(own) = names.find_map(|(name, _)| OURS.into_iter().find(|own| *own == name)) {
            return Err(Error::OwnParameter(own));
        }
        // An address without a path is common, and leads to the root.
        let is_normal = url.as_str().strip_suffix('/').unwrap_or(url.as_str()) == text;
        if is_normal || url.as_str() == text {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::NotNormal(url.into()))
        }
    }
}

/// Returns whether a scheme is a domain's name in reverse, such as `com.example.shop`.
fn is_reversed_domain(scheme: &str) -> bool {
    scheme.contains('.') && scheme.split('.').all(|label| !label.is_empty())
}

impl fmt::Display for RedirectUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
