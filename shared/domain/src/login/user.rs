//! The users that phones claim to have.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::primitives::base64url::Base64Url;
use crate::primitives::ids::AppId;
use crate::primitives::visible_text::{imitates_latin, shows_everything, shows_something};

/// Maximum length of a public user id, in characters (Unicode scalar values, as JSON Schema counts
/// them).
pub const MAX_CHARACTERS: usize = 256;

/// The `publicUserId` that the phone sent: a claim that the service does not check. It is often an
/// e-mail address, so `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedUserId(String);

/// The public user id for no particular user: the default of a phone's key functions.
pub const ANONYMOUS: &str = "ANON";

/// The error for a text that is not a public user id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "a public user id is 1 to {MAX_CHARACTERS} characters in Unicode normalization form C, all of them \
     visible, without words of letters that only look like Latin ones"
)]
pub struct MalformedUserId;

impl ClaimedUserId {
    /// Returns the id as it was sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the id is [`ANONYMOUS`].
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        self.0 == ANONYMOUS
    }

    /// Returns the key of the remembered logins that were confirmed under the claimed name of this user. The id
    /// cannot be computed from the key, but a guess can be verified.
    #[must_use]
    pub fn claimed_key(&self, app: &AppId) -> UserKey {
        self.key(b"countersign/qr/user/1\0", app)
    }

    /// Returns the key of the data that only the app's server and the user's own phones can create:
    /// association keys, and logins confirmed with them.
    #[must_use]
    pub fn verified_key(&self, app: &AppId) -> UserKey {
        self.key(b"countersign/qr/verified-user/1\0", app)
    }

    /// Computes a key. No label may begin with another one.
    fn key(&self, label: &[u8], app: &AppId) -> UserKey {
        let digest = Sha256::new()
            .chain_update(label)
            .chain_update([u8::try_from(app.as_str().len()).unwrap_or(u8::MAX)])
            .chain_update(app.as_str().as_bytes())
            .chain_update(self.0.as_bytes())
            .finalize();
        let mut key = [0; 16];
        key.copy_from_slice(&digest[..16]);
        UserKey(key)
    }
}

impl FromStr for ClaimedUserId {
    type Err = MalformedUserId;

    /// Parses a public user id and keeps it unchanged: only the app knows its meaning. Ids that look the
    /// same should be equal.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = (1..=MAX_CHARACTERS).contains(&text.chars().count());
        let is_visible = shows_something(text) && shows_everything(text);
        if fits && is_visible && !imitates_latin(text) && !text.chars().any(char::is_control) {
            Ok(Self(text.to_owned()))
        } else {
            Err(MalformedUserId)
        }
    }
}

impl fmt::Debug for ClaimedUserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClaimedUserId(…)")
    }
}

/// Hash of an app and a public user id of that app. The claimed and the verified key of the same id
/// differ.
#[serde_as]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UserKey(#[serde_as(as = "Base64Url")] [u8; 16]);

impl UserKey {
    /// Restores a key from its bytes, for stores.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_id_is_a_bounded_text_without_controls() {
        for good in [
            "ANON",
            "a@b.example",
            "Zoë",
            "зоя@пример.example",
            "a b",
            "+1 202",
            &"ë".repeat(MAX_CHARACTERS),
        ] {
            assert_eq!(good.parse::<ClaimedUserId>().unwrap().as_str(), good);
        }
        for bad in [
            "",
            "a\nb",
            "a\u{0}",
            "\u{85}",
            " ",
            "zoe\u{200b}",
            "zo\u{ad}e",
            "Zoe\u{308}",
            "\u{202e}eoz",
            "zо\u{435}",
            &"x".repeat(MAX_CHARACTERS + 1),
        ] {
            assert!(bad.parse::<ClaimedUserId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn debug_hides_the_user_id() {
        let id = "a@b.example".parse::<ClaimedUserId>().unwrap();
        assert_eq!(format!("{id:?}"), "ClaimedUserId(…)");
    }

    #[test]
    fn same_name_in_two_apps_has_two_histories() {
        let id = "b".parse::<ClaimedUserId>().unwrap();
        let [demo, other] = ["demo", "other"].map(|name| name.parse::<AppId>().unwrap());
        let shifted = "ab".parse::<ClaimedUserId>().unwrap();
        let short = "dem".parse::<AppId>().unwrap();
        for key in [ClaimedUserId::claimed_key, ClaimedUserId::verified_key] {
            assert_eq!(key(&id, &demo), key(&id.clone(), &demo));
            assert_ne!(key(&id, &demo), key(&id, &other));
            assert_ne!(key(&id, &demo), key(&shifted, &short));
        }
    }

    /// Stored histories and association keys are looked up by these keys.
    #[test]
    fn claimed_and_verified_keys_differ_and_never_change() {
        let zoe = "zoe".parse::<ClaimedUserId>().unwrap();
        let demo = "demo".parse::<AppId>().unwrap();
        let hex = |key: UserKey| base16ct::lower::encode_string(key.as_bytes());
        let claimed = "b9f8ad2d60a54ed68d48390a6f541e45";
        assert_eq!(hex(zoe.claimed_key(&demo)), claimed);
        let verified = "fd15c7a92f36b5c2b87da164a589651c";
        assert_eq!(hex(zoe.verified_key(&demo)), verified);
    }
}
