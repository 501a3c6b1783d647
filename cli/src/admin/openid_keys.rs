//! Showing and rotating the keys that sign the ID tokens of the OpenID provider.

use clap::Args;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_embedded::openid::{OpenIdFiles, OpenIdFilesError, OpenIdKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Item, List, Request};
use super::{Admin, AdminError};
use crate::schema::{Ours, Time};

/// Lists the public keys that sign ID tokens: the arguments of `openid list-keys`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListOpenIdKeys {}

/// The arguments of `openid rotate-key`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RotateOpenIdKey {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdTokenKey {
    /// The key's RFC 7638 thumbprint.
    #[schemars(with = "Ours")]
    key_id: String,
    /// True for the key that signs now.
    current: bool,
    /// The time from which the key signs, in ISO 8601. Clients learn of a new key before that.
    #[schemars(with = "Time")]
    signs_from: String,
    /// The public key, in PEM.
    #[schemars(with = "Ours")]
    pem: String,
}

impl From<&OpenIdKey> for IdTokenKey {
    fn from(key: &OpenIdKey) -> Self {
        Self {
            key_id: key.key.key_id().to_string(),
            current: key.is_signing,
            signs_from: key.signs_from.to_string(),
            pem: key.key.to_pem(),
        }
    }
}

impl Item for IdTokenKey {
    const EMPTY: &'static str = "There are no keys for ID tokens";
    const COLUMNS: &'static [&'static str] = &["keyId", "current", "signsFrom"];
}

/// The published keys after a rotation.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RotatedOpenIdKeys(Vec<IdTokenKey>);

impl Answer for RotatedOpenIdKeys {
    fn text(&self) -> String {
        IdTokenKey::table(&self.0)
    }

    /// Returns the key that signs last, which is the new one.
    fn new_key(&self) -> Option<&str> {
        let newest = self.0.iter().max_by_key(|key| key.signs_from.as_str());
        Some(&newest?.key_id)
    }
}

impl Request for ListOpenIdKeys {
    const NAME: &'static str = "list_openid_keys";
    const ON_TABLE: bool = false;
    type Answer = List<IdTokenKey>;

    async fn execute(self, admin: &Admin) -> Result<List<IdTokenKey>, AdminError> {
        Ok(described(&admin.openid_keys()?.list()).into())
    }
}

impl Request for RotateOpenIdKey {
    const NAME: &'static str = "rotate_openid_key";
    const ON_TABLE: bool = false;
    const CHANGES: bool = true;
    type Answer = RotatedOpenIdKeys;

    async fn execute(self, admin: &Admin) -> Result<RotatedOpenIdKeys, AdminError> {
        match admin.openid_keys()?.rotate(&*admin.entropy) {
            Ok(keys) => Ok(RotatedOpenIdKeys(described(&keys))),
            Err(OpenIdFilesError::NextKeyWaits(waits)) => Err(AdminError::NextKeyWaits(waits)),
            Err(cause) => Err(Unavailable::new("keys of ID tokens: rotate", cause).into()),
        }
    }
}

fn described(keys: &[OpenIdKey]) -> Vec<IdTokenKey> {
    keys.iter().map(IdTokenKey::from).collect()
}

impl Admin {
    fn openid_keys(&self) -> Result<&OpenIdFiles, AdminError> {
        self.openid_keys.as_deref().ok_or(AdminError::KeysInKms)
    }
}
