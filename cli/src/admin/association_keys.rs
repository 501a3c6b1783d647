//! Registering, showing and revoking association keys.

use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::quota::Allowance;
use countersign_domain::app::scope::Scope;
use countersign_domain::login::association_key::transitions::RevokeOutcome;
use countersign_domain::login::{ClaimedUserId, KeyId};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::use_cases::association_keys::{self, AssociationKeyPorts, RegisterRequest};
use countersign_proof::Proofs;

use super::answer::{AdminAnswer, AssociationKeyView};
use super::command::NewAssociationKey;
use super::{Admin, AdminError};

impl Admin {
    fn association_key_ports(&self) -> AssociationKeyPorts<'_> {
        AssociationKeyPorts {
            store: &self.store,
            proofs: &Proofs,
            clock: self.clock.as_ref(),
        }
    }

    pub(super) async fn add_association_key(
        &self,
        new: NewAssociationKey,
    ) -> Result<AdminAnswer, AdminError> {
        let app = self.find_app(&new.app).await?;
        let request = RegisterRequest {
            app: &app,
            mode: KeyMode::Live,
            owner: &new.public_user_id,
            public_key: &new.public_key,
            signature: new.signature.as_deref(),
            allowance: Allowance::Unlimited,
        };
        let id = association_keys::register(self.association_key_ports(), request).await?;
        let key = self.store.find_association_key(&app.id, id).await?;
        let view = key.as_ref().and_then(AssociationKeyView::of);
        let unknown = AdminError::UnknownAssociationKey {
            app: app.id.clone(),
            key: id,
        };
        view.map(AdminAnswer::AssociationKey).ok_or(unknown)
    }

    pub(super) async fn list_association_keys(
        &self,
        app: &AppId,
        owner: &ClaimedUserId,
    ) -> Result<AdminAnswer, AdminError> {
        self.find_app(app).await?;
        let keys = self.store.association_keys_of(app, owner).await?;
        let views = keys.iter().filter_map(AssociationKeyView::of);
        Ok(AdminAnswer::AssociationKeys(views.collect()))
    }

    /// Revokes a key. Revoking it again changes nothing and succeeds.
    pub(super) async fn revoke_association_key(
        &self,
        app: &AppId,
        key: KeyId,
    ) -> Result<AdminAnswer, AdminError> {
        self.find_app(app).await?;
        match association_keys::revoke(self.association_key_ports(), Scope::live(app), key).await? {
            RevokeOutcome::Revoked | RevokeOutcome::AlreadyRevoked => {
                Ok(AdminAnswer::RevokedAssociationKey(key.to_string()))
            }
            RevokeOutcome::Unknown => Err(AdminError::UnknownAssociationKey {
                app: app.clone(),
                key,
            }),
        }
    }
}
