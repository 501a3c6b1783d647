//! The kinds of association keys.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::{DeserializeFromStr, SerializeDisplay};
use thiserror::Error;

use crate::app::login::{LoginSettings, WebPhoneKey};
use crate::web::link_host::LinkHost;
use crate::web::origin::WebOrigin;

/// Where the private half of an association key is. A proof in the form of one kind is never accepted from a
/// key of another kind with a different form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    /// In an app on the phone. The app's server registered the key.
    #[default]
    App,
    /// In the storage of the phone's browser, where the web authenticator keeps it. Its proofs have the form of an
    /// app's proofs.
    Browser,
    /// In the phone's passkeys. Its proofs are assertions of Web Authentication.
    Passkey(Passkey),
}

/// The web page whose passkey a key is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    /// The domain that the passkey belongs to. Each of its assertions contains the hash of it.
    pub rp_id: RpId,
    /// The origin that each assertion must name.
    pub origin: WebOrigin,
    /// Whether the phone's system may copy the passkey to the user's other devices, as the phone said when the key
    /// was registered. This may change later.
    pub synced: bool,
}

/// The relying party id of a passkey (Web Authentication): a domain, without a port.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, SerializeDisplay, DeserializeFromStr)]
pub struct RpId(String);

/// The error for a text that is not a relying party id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a relying party id is a domain in lower case, without a port, and not an IP address")]
pub struct MalformedRpId;

impl KeyKind {
    /// Returns whether an app on the phone has the key.
    #[must_use]
    pub const fn is_app(&self) -> bool {
        matches!(self, Self::App)
    }

    /// Returns the passkey; `None` for keys of other kinds.
    #[must_use]
    pub const fn passkey(&self) -> Option<&Passkey> {
        match self {
            Self::Passkey(passkey) => Some(passkey),
            Self::App | Self::Browser => None,
        }
    }

    /// Returns whether an app with these settings accepts keys of this kind: browsers' keys unless it demands passkeys,
    /// and passkeys of its current link host. Those of a former host are not accepted, because whoever has that host now
    /// could ask for them.
    #[must_use]
    pub fn is_accepted_by(&self, settings: &LoginSettings) -> bool {
        match self {
            Self::App => true,
            Self::Browser => settings.web_phone_key == WebPhoneKey::Any,
            Self::Passkey(passkey) => settings
                .link_host
                .as_ref()
                .and_then(|host| Passkey::of_host(host, passkey.synced))
                .is_some_and(|current| current == *passkey),
        }
    }

    /// Returns the name of the kind: `app`, `browser` or `passkey`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Browser => "browser",
            Self::Passkey(_) => "passkey",
        }
    }
}

impl Passkey {
    /// Returns a passkey of the page on a link host; `None` if the host is an IP address, for which browsers make
    /// no passkeys.
    #[must_use]
    pub fn of_host(host: &LinkHost, synced: bool) -> Option<Self> {
        let origin = format!("{}://{host}", host.scheme());
        Some(Self {
            rp_id: RpId::of_host(host)?,
            origin: origin.parse().ok()?,
            synced,
        })
    }
}

impl RpId {
    /// Returns the id of the page on a link host; `None` if the host is an IP address.
    #[must_use]
    pub fn of_host(host: &LinkHost) -> Option<Self> {
        let name = host.as_str().split(':').next().unwrap_or_default();
        let is_address =
            name.starts_with('[') || name.bytes().all(|c| c == b'.' || c.is_ascii_digit());
        (!is_address).then(|| Self(name.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RpId {
    type Err = MalformedRpId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let host = text.parse::<LinkHost>().map_err(|_| MalformedRpId)?;
        let id = Self::of_host(&host).ok_or(MalformedRpId)?;
        if id.0 == text {
            Ok(id)
        } else {
            Err(MalformedRpId)
        }
    }
}

impl fmt::Display for RpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkey_belongs_to_the_link_host() {
        for (host, rp_id, origin) in [
            (
                "login.shop.example",
                "login.shop.example",
                "https://login.shop.example",
            ),
            (
                "login.shop.example:8443",
                "login.shop.example",
                "https://login.shop.example:8443",
            ),
            ("localhost:8787", "localhost", "http://localhost:8787"),
        ] {
            let passkey = Passkey::of_host(&host.parse().unwrap(), true).unwrap();
            assert_eq!(passkey.rp_id.as_str(), rp_id);
            assert_eq!(passkey.origin.as_str(), origin);
            assert_eq!(rp_id.parse(), Ok(passkey.rp_id));
        }
        for host in ["127.0.0.1:8787", "[::1]:8787"] {
            assert_eq!(
                Passkey::of_host(&host.parse().unwrap(), true),
                None,
                "{host}"
            );
        }
    }

    #[test]
    fn app_accepts_passkeys_of_its_link_host() {
        let kind =
            |host: &str| KeyKind::Passkey(Passkey::of_host(&host.parse().unwrap(), true).unwrap());
        let mut settings = LoginSettings {
            link_host: "login.shop.example".parse().ok(),
            ..LoginSettings::default()
        };
        assert!(
            KeyKind::App.is_accepted_by(&settings) && KeyKind::Browser.is_accepted_by(&settings)
        );
        for (host, is_accepted) in [
            ("login.shop.example", true),
            ("former.shop.example", false),
            ("login.shop.example:8443", false),
        ] {
            assert_eq!(kind(host).is_accepted_by(&settings), is_accepted, "{host}");
        }
        settings.web_phone_key = WebPhoneKey::Passkey;
        assert!(
            KeyKind::App.is_accepted_by(&settings) && !KeyKind::Browser.is_accepted_by(&settings)
        );
        settings.link_host = None;
        assert!(!kind("login.shop.example").is_accepted_by(&settings));
    }

    #[test]
    fn only_domains_are_ids() {
        for text in [
            "",
            "Shop.example",
            "shop.example:8443",
            "https://shop.example",
            "127.0.0.1",
            "[::1]",
            "shop.example.",
        ] {
            assert_eq!(text.parse::<RpId>(), Err(MalformedRpId), "{text}");
        }
    }
}
