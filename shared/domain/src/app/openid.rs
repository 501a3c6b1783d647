//! An app's settings as a client of the OpenID provider.

use std::num::NonZeroU16;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use thiserror::Error;

use crate::web::redirect_uri::RedirectUri;

/// Maximum number of redirect URIs of an app, and of its pages for logged-out users.
pub const MAX_REDIRECT_URIS: usize = 20;

/// Days without a login after which a number counts as a different person's. Carriers give a number away after 45
/// days at the earliest in the United States, and after 90 in most countries.
pub const DEFAULT_SILENCE_DAYS: u16 = 90;

/// An app's settings as a client of the OpenID provider. The default lists no redirect URI, so the provider refuses
/// the app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OpenIdSettings {
    /// The pages that users return to from a login.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redirect_uris: Vec<RedirectUri>,
    /// The pages that users return to from a logout.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// True for an app that cannot keep a secret, such as one on a phone: it has none, and must use PKCE.
    pub public_client: bool,
    /// True if a client with a secret may send a nonce in place of a PKCE challenge (RFC 9700, section 2.1.1).
    pub nonce_instead_of_pkce: bool,
    /// The ways to log in that the page offers.
    pub methods: SignInMethods,
    /// Days without a login after which a number gets a new subject; 0 if it never does.
    pub subject_silence_days: u16,
}

impl Default for OpenIdSettings {
    fn default() -> Self {
        Self {
            redirect_uris: Vec::new(),
            post_logout_redirect_uris: Vec::new(),
            public_client: false,
            nonce_instead_of_pkce: false,
            methods: SignInMethods::default(),
            subject_silence_days: DEFAULT_SILENCE_DAYS,
        }
    }
}

impl OpenIdSettings {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether the provider serves the app.
    #[must_use]
    pub const fn is_on(&self) -> bool {
        !self.redirect_uris.is_empty()
    }

    /// Returns the redirect URI that a request names, if the app lists it.
    #[must_use]
    pub fn redirect_uri(&self, named: &str) -> Option<RedirectUri> {
        self.listed(&self.redirect_uris, named)
    }

    /// Returns the page for logged-out users that a request names, if the app lists it.
    #[must_use]
    pub fn post_logout_redirect_uri(&self, named: &str) -> Option<RedirectUri> {
        self.listed(&self.post_logout_redirect_uris, named)
    }

    /// Compares letter by letter. For a public client, which may be a program on the user's machine, the port of a
    /// loopback address is left open (RFC 8252, section 7.3).
    fn listed(&self, list: &[RedirectUri], named: &str) -> Option<RedirectUri> {
        let named = named.parse::<RedirectUri>().ok()?;
        let fits = |listed: &RedirectUri| {
            *listed == named || self.public_client && listed.is_same_but_for_port(&named)
        };
        list.iter().any(fits).then_some(named)
    }

    /// Returns whether a request without a PKCE challenge is refused.
    #[must_use]
    pub const fn requires_pkce(&self) -> bool {
        self.public_client || !self.nonce_instead_of_pkce
    }

    /// Returns the time without a login after which a number gets a new subject; `None` if it never does.
    #[must_use]
    pub fn subject_silence(&self) -> Option<Duration> {
        let days = NonZeroU16::new(self.subject_silence_days)?;
        Some(Duration::from_hours(u64::from(days.get()) * 24))
    }

    /// Checks that the settings are consistent with each other.
    ///
    /// # Errors
    /// Fails with the first problem found.
    pub fn check(&self, has_link_host: bool) -> Result<(), OpenIdRefusal> {
        let lists = [&self.redirect_uris, &self.post_logout_redirect_uris];
        if lists.iter().any(|list| list.len() > MAX_REDIRECT_URIS) {
            return Err(OpenIdRefusal::TooMany);
        }
        let mut listed = lists.into_iter().flatten();
        let private = listed.find(|uri| uri.has_private_scheme());
        if let Some(uri) = private.filter(|_| !self.public_client) {
            return Err(OpenIdRefusal::PrivateScheme(uri.clone()));
        }
        if self.public_client && self.nonce_instead_of_pkce {
            return Err(OpenIdRefusal::PublicWithoutPkce);
        }
        if self.methods.contains(SignInMethod::Code) && !has_link_host {
            return Err(OpenIdRefusal::CodeWithoutLinkHost);
        }
        Ok(())
    }
}

/// The reason why settings do not fit each other.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpenIdRefusal {
    #[error("an app lists at most {MAX_REDIRECT_URIS} redirect URIs")]
    TooMany,
    /// Every app on a device can claim a private-use scheme, so a client that relies on its secret must not use one.
    #[error(
        "only a public client can use {0}: the redirect URIs of a confidential client begin with https://"
    )]
    PrivateScheme(RedirectUri),
    #[error("a public client has no secret, so it cannot send a nonce in place of PKCE")]
    PublicWithoutPkce,
    #[error("logins by code need a link host, which the app does not have")]
    CodeWithoutLinkHost,
}

/// A way to log in.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum SignInMethod {
    /// The user sends a text from the number.
    Text,
    /// The user scans a code, or follows a link, with an app that has a registered key.
    Code,
}

/// The error for an unknown name of a [`SignInMethod`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not `text` or `code`")]
pub struct UnknownMethod;

impl FromStr for SignInMethod {
    type Err = UnknownMethod;

    /// Parses the name that [`into_str`](Self::into_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut methods = Self::VARIANTS.iter().copied();
        methods
            .find(|method| method.into_str() == text)
            .ok_or(UnknownMethod)
    }
}

/// One or more ways to log in, in the order in which the page shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<SignInMethod>", into = "Vec<SignInMethod>")]
pub struct SignInMethods(Vec<SignInMethod>);

/// The error for a list of methods that is empty, or contains one twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a list of ways to log in has each once, and at least one")]
pub struct MalformedMethods;

impl SignInMethods {
    /// Returns the methods in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[SignInMethod] {
        &self.0
    }

    #[must_use]
    pub fn contains(&self, method: SignInMethod) -> bool {
        self.0.contains(&method)
    }
}

impl Default for SignInMethods {
    fn default() -> Self {
        Self(vec![SignInMethod::Text])
    }
}

impl TryFrom<Vec<SignInMethod>> for SignInMethods {
    type Error = MalformedMethods;

    fn try_from(methods: Vec<SignInMethod>) -> Result<Self, Self::Error> {
        let is_repeated = |at: usize| methods[..at].contains(&methods[at]);
        if methods.is_empty() || (0..methods.len()).any(is_repeated) {
            return Err(MalformedMethods);
        }
        Ok(Self(methods))
    }
}

impl From<SignInMethods> for Vec<SignInMethod> {
    fn from(methods: SignInMethods) -> Self {
        methods.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uris<const N: usize>(texts: [&str; N]) -> Vec<RedirectUri> {
        texts.map(|text| text.parse().unwrap()).into()
    }

    #[test]
    fn only_a_listed_uri_fits_and_only_letter_by_letter() {
        let settings = OpenIdSettings {
            redirect_uris: uris(["https://shop.example/callback", "http://127.0.0.1:3000/x"]),
            post_logout_redirect_uris: uris(["https://shop.example/bye"]),
            ..OpenIdSettings::default()
        };
        let found = settings.redirect_uri("https://shop.example/callback");
        assert_eq!(found.unwrap().as_str(), "https://shop.example/callback");
        for other in [
            "",
            "https://shop.example",
            "https://shop.example/Callback",
            "https://shop.example/callback/",
            "https://shop.example/callback?",
            "https://shop.example/callback?next=x",
            "https://shop.example/callback/../callback",
            "https://shop.example:443/callback",
            "https://shop.example:8443/callback",
            "https://shop.example./callback",
            "https://SHOP.example/callback",
            "https://a@shop.example/callback",
            "https://shop.example@evil.example/callback",
            "https://shop.example.evil.example/callback",
            "https://www.shop.example/callback",
            "http://shop.example/callback",
            "https://shop.example/callback#x",
            "https://shop.example/bye",
            "http://127.0.0.1:3001/x",
        ] {
            assert_eq!(settings.redirect_uri(other), None, "{other}");
        }
        let bye = "https://shop.example/bye";
        assert!(settings.post_logout_redirect_uri(bye).is_some());
        let callback = "https://shop.example/callback";
        assert!(settings.post_logout_redirect_uri(callback).is_none());
    }

    #[test]
    fn public_client_chooses_its_loopback_port() {
        let settings = OpenIdSettings {
            redirect_uris: uris(["http://127.0.0.1/x", "http://localhost:3000/x"]),
            public_client: true,
            ..OpenIdSettings::default()
        };
        let found = settings.redirect_uri("http://127.0.0.1:49152/x").unwrap();
        assert_eq!(found.as_str(), "http://127.0.0.1:49152/x");
        assert!(settings.redirect_uri("http://localhost:3000/x").is_some());
        for other in [
            "http://localhost:3001/x",
            "http://127.0.0.1:49152/y",
            "http://[::1]/x",
        ] {
            assert_eq!(settings.redirect_uri(other), None, "{other}");
        }
    }

    #[test]
    fn settings_that_do_not_fit_each_other_are_refused() {
        let settings = OpenIdSettings::default();
        assert_eq!(settings.check(false), Ok(()));
        assert!(!settings.is_on() && settings.requires_pkce());

        let mut app = settings.clone();
        app.redirect_uris = uris(["com.example.shop:/x"]);
        let refusal = OpenIdRefusal::PrivateScheme(app.redirect_uris[0].clone());
        assert_eq!(app.check(false), Err(refusal));
        app.public_client = true;
        assert_eq!(app.check(false), Ok(()));
        app.nonce_instead_of_pkce = true;
        assert_eq!(app.check(false), Err(OpenIdRefusal::PublicWithoutPkce));
        assert!(app.requires_pkce());
        app.public_client = false;
        assert!(!app.requires_pkce());

        let mut coded = settings.clone();
        coded.methods = vec![SignInMethod::Text, SignInMethod::Code]
            .try_into()
            .unwrap();
        assert_eq!(coded.check(true), Ok(()));
        assert_eq!(coded.check(false), Err(OpenIdRefusal::CodeWithoutLinkHost));

        let mut many = settings;
        let numbered = (0..21).map(|n| format!("https://shop.example/{n}").parse().unwrap());
        many.post_logout_redirect_uris = numbered.collect();
        assert_eq!(many.check(false), Err(OpenIdRefusal::TooMany));
    }

    #[test]
    fn methods_are_listed_once_each() {
        let methods = serde_json::from_str::<SignInMethods>;
        let both = [SignInMethod::Code, SignInMethod::Text];
        assert_eq!(methods(r#"["code","text"]"#).unwrap().as_slice(), both);
        for bad in ["[]", r#"["text","text"]"#, r#"["sms"]"#] {
            assert!(methods(bad).is_err(), "{bad}");
        }
        assert_eq!("code".parse(), Ok(SignInMethod::Code));
        assert_eq!("sms".parse::<SignInMethod>(), Err(UnknownMethod));
    }

    #[test]
    fn zero_days_of_silence_never_end() {
        let mut settings = OpenIdSettings::default();
        let day = Duration::from_hours(24);
        assert_eq!(settings.subject_silence(), Some(day * 90));
        settings.subject_silence_days = 0;
        assert_eq!(settings.subject_silence(), None);
    }
}
