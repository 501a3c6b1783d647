//! Obstacles that keep the web authenticator from using a key.

use super::KeyKind;
use crate::app::login::LoginSettings;

/// The reason why the owner of an active key of the web authenticator cannot confirm anything with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum KeyObstacle {
    /// The app accepts passkeys only, and the key is in a browser's storage.
    PasskeysOnly,
    /// The passkey belongs to another host than the app's link host.
    OtherHost,
    /// The app does not have the web authenticator.
    WebPhoneOff,
}

impl KeyKind {
    /// Returns what keeps keys of this kind from being used with the app's present settings. The host of a key in a
    /// browser's storage is not known.
    #[must_use]
    pub fn obstacle(&self, settings: &LoginSettings) -> Option<KeyObstacle> {
        match self {
            _ if self.is_accepted_by(settings) => {
                (!self.is_app() && !settings.web_phone).then_some(KeyObstacle::WebPhoneOff)
            }
            Self::Passkey(_) => Some(KeyObstacle::OtherHost),
            _ => Some(KeyObstacle::PasskeysOnly),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::login::WebPhoneKey;
    use crate::login::Passkey;

    #[test]
    fn settings_of_the_app_decide_which_keys_can_be_used() {
        let host = "login.shop.example".parse().unwrap();
        let passkey = KeyKind::Passkey(Passkey::of_host(&host, true).unwrap());
        let found = |settings: &LoginSettings| {
            [&KeyKind::App, &KeyKind::Browser, &passkey].map(|kind| kind.obstacle(settings))
        };
        let mut settings = LoginSettings::default();
        let (off, elsewhere) = (KeyObstacle::WebPhoneOff, KeyObstacle::OtherHost);
        assert_eq!(found(&settings), [None, Some(off), Some(elsewhere)]);
        settings.link_host = Some(host);
        assert_eq!(found(&settings), [None, Some(off), Some(off)]);
        settings.web_phone = true;
        assert_eq!(found(&settings), [None, None, None]);
        settings.web_phone_key = WebPhoneKey::Passkey;
        let refused = Some(KeyObstacle::PasskeysOnly);
        assert_eq!(found(&settings), [None, refused, None]);
    }
}
