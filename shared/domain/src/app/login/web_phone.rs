//! An app's settings for the web authenticator: the page on the link host that serves people without the app as their
//! phone.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use thiserror::Error;

use crate::app::App;
use crate::primitives::ids::AppId;
use crate::web::link_host::LinkHost;

/// The keys that the web authenticator may have.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum WebPhoneKey {
    /// A passkey where the browser has them, otherwise a key in the browser's storage.
    #[default]
    Any,
    /// Passkeys only.
    Passkey,
}

impl WebPhoneKey {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes a reference"
    )]
    pub(super) const fn is_any(&self) -> bool {
        matches!(self, Self::Any)
    }
}

/// The error for an unknown name of a [`WebPhoneKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not `any` or `passkey`")]
pub struct UnknownWebPhoneKey;

impl FromStr for WebPhoneKey {
    type Err = UnknownWebPhoneKey;

    /// Parses the name that [`into_str`](Self::into_str) returns.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::VARIANTS
            .iter()
            .copied()
            .find(|choice| choice.into_str() == text)
            .ok_or(UnknownWebPhoneKey)
    }
}

/// The reason why an app cannot have the web authenticator, or cannot have its link host.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WebPhoneRefusal {
    #[error("the web authenticator needs a link host, where its page and its keys are")]
    NoLinkHost,
    /// Passkeys and stored keys belong to a host: its apps would see each other's users.
    #[error(
        "the web authenticator needs a link host that no other app has, but {other} has {host}, too"
    )]
    SharedHost { host: LinkHost, other: AppId },
    #[error("{other} has the web authenticator at {host}, so no other app can have this link host")]
    HostTaken { host: LinkHost, other: AppId },
}

impl App {
    /// Checks that the web authenticator has a host.
    ///
    /// # Errors
    /// Fails if it has none.
    pub const fn check_web_phone(&self) -> Result<(), WebPhoneRefusal> {
        if self.login.web_phone && self.login.link_host.is_none() {
            return Err(WebPhoneRefusal::NoLinkHost);
        }
        Ok(())
    }

    /// Checks that neither app has the web authenticator at a host that both have.
    ///
    /// # Errors
    /// Fails if one of them does.
    pub fn check_host_beside(&self, other: &Self) -> Result<(), WebPhoneRefusal> {
        let Some(host) = self.login.link_host.clone() else {
            return Ok(());
        };
        if self.id == other.id || other.login.link_host.as_ref() != Some(&host) {
            return Ok(());
        }
        let of = &other.id;
        if self.login.web_phone {
            let other = of.clone();
            return Err(WebPhoneRefusal::SharedHost { host, other });
        }
        if other.login.web_phone {
            let other = of.clone();
            return Err(WebPhoneRefusal::HostTaken { host, other });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::AppKey;
    use crate::app::senders::SenderPool;
    use crate::primitives::entropy::FixedEntropy;
    use crate::primitives::time::Timestamp;

    fn app(name: &str, host: Option<&str>, web_phone: bool) -> App {
        let key = AppKey::generate(&FixedEntropy(1));
        let senders = SenderPool::new([(None, "+12025550100".parse().unwrap())]).unwrap();
        let created_at = Timestamp::from_millis(0);
        let mut app = App::new(name.parse().unwrap(), key, created_at, senders);
        app.login.link_host = host.map(|host| host.parse().unwrap());
        app.login.web_phone = web_phone;
        app
    }

    #[test]
    fn web_authenticator_needs_a_host_of_its_own() {
        let host = Some("login.shop.example");
        assert_eq!(app("a", None, false).check_web_phone(), Ok(()));
        assert_eq!(app("a", host, true).check_web_phone(), Ok(()));
        let refused = app("a", None, true).check_web_phone();
        assert_eq!(refused, Err(WebPhoneRefusal::NoLinkHost));
        for (mine, others, beside) in [
            (false, false, "free"),
            (true, false, "shared"),
            (true, true, "shared"),
            (false, true, "taken"),
        ] {
            let (own, other) = (app("a", host, mine), app("b", host, others));
            let found = match own.check_host_beside(&other) {
                Ok(()) => "free",
                Err(WebPhoneRefusal::SharedHost { .. }) => "shared",
                Err(WebPhoneRefusal::HostTaken { .. }) => "taken",
                Err(WebPhoneRefusal::NoLinkHost) => "no host",
            };
            assert_eq!(found, beside);
            let elsewhere = app("b", Some("other.example"), others);
            assert_eq!(own.check_host_beside(&elsewhere), Ok(()));
            assert_eq!(own.check_host_beside(&own.clone()), Ok(()));
        }
    }
}
