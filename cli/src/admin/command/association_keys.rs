//! The arguments of `app keys`.

use clap::Args;
use countersign_domain::login::{ClaimedUserId, KeyId};
use countersign_domain::primitives::ids::AppId;
use serde::{Deserialize, Serialize};

use crate::admin::argument::association_key_id;

/// The arguments of `app keys add`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct NewAssociationKey {
    /// The app's name
    pub(crate) app: AppId,
    /// The app's own id of the user to whom the key belongs
    pub(crate) public_user_id: ClaimedUserId,
    /// The public half of the key: the Base64 that the phone's key function returned
    pub(crate) public_key: String,
    /// The phone's signature that shows possession of the key; required if the app requires proofs
    #[arg(long, value_name = "BASE64")]
    pub(crate) signature: Option<String>,
}

/// The arguments of `app keys list`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct KeysOfUser {
    /// The app's name
    pub(crate) app: AppId,
    /// The app's own id of the user
    pub(crate) public_user_id: ClaimedUserId,
}

/// The arguments of `app keys revoke`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct AssociationKeyNamed {
    /// The app's name
    pub(crate) app: AppId,
    /// The key's id, from `countersign app keys list`
    #[arg(allow_hyphen_values = true, value_parser = association_key_id)]
    pub(crate) key: KeyId,
}
