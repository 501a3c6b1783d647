//! Registering, showing and revoking association keys.

use clap::Args;
use countersign_domain::app::App;
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::Allowance;
use countersign_domain::app::scope::Scope;
use countersign_domain::login::association_key::KeyObstacle;
use countersign_domain::login::association_key::transitions::RevokeOutcome;
use countersign_domain::login::{self, ClaimedUserId, KeyId};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::store::AssociationKeyCursor;
use countersign_domain::use_cases::association_keys::{self, AssociationKeyPorts, RegisterRequest};
use countersign_proof::Proofs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::argument::association_key_id;
use super::request::{Answer, Item, Request};
use super::started::{Found, LIMIT, MAX_LIMIT};
use super::{Admin, AdminError};
use crate::print;
use crate::schema::{NameOf, Ours, Time};

/// The arguments of `app keys add`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct AddAssociationKey {
    /// The app's name
    app: AppId,
    /// The app's own id of the user to whom the key belongs
    public_user_id: ClaimedUserId,
    /// The public half of the key: the Base64 that the phone's key function returned
    public_key: String,
    /// The phone's signature that shows possession of the key; required if the app requires proofs
    #[arg(long, value_name = "BASE64")]
    signature: Option<String>,
}

/// Lists the association keys of people's phones, by app and key id: the arguments of `app keys list`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListAssociationKeys {
    /// The app's name; without it, the keys of all apps are listed
    #[schemars(with = "Option<String>")]
    app: Option<AppId>,
    /// Show only keys of this user, by the app's own id
    #[schemars(with = "Option<String>")]
    #[arg(long = "user", value_name = "ID")]
    public_user_id: Option<ClaimedUserId>,
    /// Go on where a page ended
    #[schemars(with = "Option<String>")]
    #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
    after: Option<AssociationKeyCursor>,
    /// Show at most this many, up to 100
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

/// The arguments of `app keys revoke-all`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RevokeUserKeys {
    /// The app's name
    app: AppId,
    /// The app's own id of the user
    public_user_id: ClaimedUserId,
    /// Confirm it: the user's phones must register new keys, and open phone registrations are cancelled
    #[arg(long, required = true)]
    #[serde(skip)]
    yes: bool,
}

/// The arguments of `app keys revoke`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct RevokeAssociationKey {
    /// The app's name
    app: AppId,
    /// The key's id, from `countersign app keys list`
    #[arg(allow_hyphen_values = true, value_parser = association_key_id)]
    key: KeyId,
}

/// An active association key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssociationKey {
    #[schemars(with = "Ours")]
    app: String,
    /// The key's RFC 7638 thumbprint.
    #[schemars(with = "Ours")]
    key_id: String,
    /// The user to whom the key belongs.
    public_user_id: String,
    /// When the key was registered, in ISO 8601.
    #[schemars(with = "Time")]
    registered_at: String,
    /// Where the private half is: `app`, `browser` or `passkey`.
    #[schemars(with = "Ours")]
    kind: String,
    /// The name of the phone that has the key, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// The origin of the page whose passkey the key is.
    #[schemars(with = "Option<Ours>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// Whether a passkey may be copied to the user's other devices, as the phone said when it was registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    synced: Option<bool>,
    /// Why the user can confirm nothing with the key, as far as the app's settings show it.
    #[schemars(with = "Option<NameOf<KeyObstacle>>")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    obstacle: Option<String>,
}

impl AssociationKey {
    /// Describes an active key of an app; returns `None` for a revoked key.
    fn from_key(key: &login::AssociationKey, app: &App) -> Option<Self> {
        let kind = key.kind()?;
        let passkey = kind.passkey();
        Some(Self {
            app: key.app.to_string(),
            key_id: key.id.to_string(),
            public_user_id: key.owner()?.as_str().to_owned(),
            registered_at: key.registered_at()?.to_string(),
            kind: kind.name().to_owned(),
            label: key.label().map(ToString::to_string),
            origin: passkey.map(|passkey| passkey.origin.to_string()),
            synced: passkey.map(|passkey| passkey.synced),
            obstacle: kind.obstacle(&app.login).map(|it| it.into_str().to_owned()),
        })
    }

    /// Returns the kind with what tells the key from the user's others.
    fn described_kind(&self) -> String {
        let origin = self.origin.as_deref();
        let host = origin.and_then(|origin| origin.split("://").nth(1));
        let copies = match self.synced {
            Some(true) => Some("synced"),
            Some(false) => Some("on one device"),
            None => None,
        };
        let obstacle = match self.obstacle.as_deref() {
            Some("other_host") => Some("unusable: not the app's link host"),
            Some("passkeys_only") => Some("unusable: the app accepts passkeys only"),
            Some("web_phone_off") => Some("unusable: the web authenticator is off"),
            _ => None,
        };
        let kind = Some(self.kind.as_str());
        let parts = [kind, self.label.as_deref(), copies, host, obstacle];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
    }
}

impl Answer for AssociationKey {
    fn new_key(&self) -> Option<&str> {
        Some(&self.key_id)
    }
}

impl Item for AssociationKey {
    const EMPTY: &'static str =
        "There are no association keys: `countersign app keys add APP USER KEY`";
    const COLUMNS: &'static [&'static str] =
        &["app", "keyId", "registeredAt", "kind", "publicUserId"];

    fn table(items: &[Self]) -> String {
        let described: Vec<_> = items
            .iter()
            .map(|key| Self {
                kind: key.described_kind(),
                ..key.clone()
            })
            .collect();
        print::table(&described, Self::COLUMNS)
    }
}

/// A revoked key.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Revoked {
    key_id: KeyId,
}

impl Answer for Revoked {
    fn text(&self) -> String {
        format!("{}  revoked", self.key_id)
    }
}

/// The keys of a user that were revoked.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RevokedKeys {
    key_ids: Vec<KeyId>,
    /// The number of open phone registrations that were cancelled.
    #[serde(default)]
    cancelled_registrations: usize,
}

impl Answer for RevokedKeys {
    fn text(&self) -> String {
        let lines = self.key_ids.iter().map(|id| format!("{id}  revoked"));
        let mut lines: Vec<_> = lines.collect();
        if lines.is_empty() {
            lines.push("The user had no active keys".to_owned());
        }
        match self.cancelled_registrations {
            0 => {}
            1 => lines.push("1 phone registration cancelled".to_owned()),
            n => lines.push(format!("{n} phone registrations cancelled")),
        }
        lines.join("\n")
    }
}

impl Request for AddAssociationKey {
    const NAME: &'static str = "add_association_key";
    const CHANGES: bool = true;
    type Answer = AssociationKey;

    async fn execute(self, admin: &Admin) -> Result<AssociationKey, AdminError> {
        let app = admin.find_app(&self.app).await?;
        let request = RegisterRequest {
            app: &app,
            mode: KeyMode::Live,
            owner: &self.public_user_id,
            public_key: &self.public_key,
            signature: self.signature.as_deref(),
            allowance: Allowance::Unlimited,
        };
        let id = association_keys::register(admin.association_key_ports(), request).await?;
        let key = admin.store.find_association_key(&app.id, id).await?;
        let unknown = AdminError::UnknownAssociationKey {
            app: app.id.clone(),
            key: id,
        };
        key.as_ref()
            .and_then(|key| AssociationKey::from_key(key, &app))
            .ok_or(unknown)
    }
}

impl Request for ListAssociationKeys {
    const NAME: &'static str = "list_association_keys";
    type Answer = Found<AssociationKey>;

    fn at_most(self, items: usize) -> Self {
        Self {
            limit: Some(self.limit.unwrap_or(items).min(items)),
            ..self
        }
    }

    async fn execute(self, admin: &Admin) -> Result<Found<AssociationKey>, AdminError> {
        let apps = admin.named_or_all(self.app.as_ref()).await?;
        if let Some(user) = self.public_user_id {
            let mut items = Vec::new();
            for app in apps {
                let keys = admin.store.association_keys_of(&app.id, &user).await?;
                let keys = keys.iter();
                items.extend(keys.filter_map(|key| AssociationKey::from_key(key, &app)));
            }
            return Ok(Found::all(items));
        }
        let limit = self.limit.unwrap_or(LIMIT).clamp(1, MAX_LIMIT);
        let ids: Vec<_> = apps.iter().map(|app| app.id.clone()).collect();
        let page = admin
            .store
            .list_association_keys(&ids, self.after.as_ref(), limit)
            .await?;
        let shown = |key: &login::AssociationKey| {
            let app = apps.iter().find(|app| app.id == key.app)?;
            AssociationKey::from_key(key, app)
        };
        Ok(Found {
            items: page.keys.iter().filter_map(shown).collect(),
            complete: page.next.is_none(),
            next: page.next.map(|next| next.to_string()),
            examined: page.examined,
            left_out: page.left_out,
        })
    }
}

/// Repeating it changes nothing and succeeds.
impl Request for RevokeUserKeys {
    const NAME: &'static str = "revoke_user_keys";
    const CHANGES: bool = true;
    type Answer = RevokedKeys;

    async fn execute(self, admin: &Admin) -> Result<RevokedKeys, AdminError> {
        admin.find_app(&self.app).await?;
        let (store, now) = (&admin.store, admin.clock.now());
        // First, because this completes a registration whose digits were typed: its key is then revoked like the others.
        let cancelled = store.cancel_phone_registrations_of(&self.app, &self.public_user_id, now);
        let cancelled_registrations = cancelled.await?;
        let revoked = store.revoke_association_keys_of(&self.app, &self.public_user_id, now);
        Ok(RevokedKeys {
            key_ids: revoked.await?,
            cancelled_registrations,
        })
    }
}

/// Revoking a key again changes nothing and succeeds.
impl Request for RevokeAssociationKey {
    const NAME: &'static str = "revoke_association_key";
    const CHANGES: bool = true;
    type Answer = Revoked;

    async fn execute(self, admin: &Admin) -> Result<Revoked, AdminError> {
        let Self { app, key } = self;
        admin.find_app(&app).await?;
        let ports = admin.association_key_ports();
        match association_keys::revoke(ports, Scope::live(&app), key).await? {
            RevokeOutcome::Revoked | RevokeOutcome::AlreadyRevoked => Ok(Revoked { key_id: key }),
            RevokeOutcome::Unknown => Err(AdminError::UnknownAssociationKey { app, key }),
        }
    }
}

impl Admin {
    fn association_key_ports(&self) -> AssociationKeyPorts<'_> {
        AssociationKeyPorts {
            store: &self.store,
            proofs: &Proofs,
            clock: self.clock.as_ref(),
        }
    }
}
