//! Showing and rotating the keys that sign webhooks.

use clap::Args;
use countersign_domain::delivery::signing::{PublicKey, Signer};
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_embedded::keys::{KeyError, KeyFileSigner};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Item, List, Request};
use super::{Admin, AdminError};
use crate::schema::Ours;
use crate::storage::IfMissing;

/// Lists the public keys that sign webhooks: the arguments of `signing-key list`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListSigningKeys {}

/// The arguments of `signing-key rotate`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RotateSigningKey {}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SigningKey {
    /// The key's RFC 7638 thumbprint.
    #[schemars(with = "Ours")]
    key_id: String,
    /// True if new signatures are made with this key. Old keys are still published.
    current: bool,
    /// The public key, in PEM.
    #[schemars(with = "Ours")]
    pem: String,
}

impl Item for SigningKey {
    const EMPTY: &'static str = "There are no signing keys";
    const COLUMNS: &'static [&'static str] = &["keyId", "current"];
}

/// The signing keys after a rotation, the current one first.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Rotated(Vec<SigningKey>);

impl Answer for Rotated {
    fn text(&self) -> String {
        SigningKey::table(&self.0)
    }

    fn new_key(&self) -> Option<&str> {
        Some(&self.0.first()?.key_id)
    }
}

impl Request for ListSigningKeys {
    const NAME: &'static str = "list_signing_keys";
    const ON_TABLE: bool = false;
    type Answer = List<SigningKey>;

    async fn execute(self, admin: &Admin) -> Result<List<SigningKey>, AdminError> {
        Ok(admin.list_signing_keys().await?.into())
    }
}

impl Request for RotateSigningKey {
    const NAME: &'static str = "rotate_signing_key";
    const ON_TABLE: bool = false;
    const CHANGES: bool = true;
    const IF_MISSING: IfMissing = IfMissing::NewSigningKey;
    type Answer = Rotated;

    async fn execute(self, admin: &Admin) -> Result<Rotated, AdminError> {
        let signer = admin.signing_keys()?;
        match signer.rotate(&*admin.entropy, admin.clock.now()) {
            Ok(_) => admin.list_signing_keys().await.map(Rotated),
            Err(cause @ KeyError::TooManyFormer) => {
                Err(AdminError::RotationRefused(cause.to_string()))
            }
            Err(cause) => Err(Unavailable::new("signing keys: rotate", cause).into()),
        }
    }
}

impl Admin {
    async fn list_signing_keys(&self) -> Result<Vec<SigningKey>, AdminError> {
        let keys = self.signing_keys()?.public_keys().await?;
        let described = |(index, key): (usize, &PublicKey)| SigningKey {
            key_id: key.key_id().to_string(),
            current: index == 0,
            pem: key.to_pem(),
        };
        Ok(keys.iter().enumerate().map(described).collect())
    }

    pub(super) fn signing_keys(&self) -> Result<&KeyFileSigner, AdminError> {
        self.signing_keys.as_deref().ok_or(AdminError::KeysInKms)
    }
}
