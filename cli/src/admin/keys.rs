//! Issuing, showing, revoking and rotating API keys and signing keys.

use async_trait::async_trait;
use countersign_domain::app::api_key::{ApiKeyId, ApiKeyRecord, KeyMode, PresentedApiKey};
use countersign_domain::delivery::signing::Signer;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::{IssueKeyOutcome, RevokeKeyOutcome};

use super::answer::{AdminAnswer, KeyView, NewKeyView, SigningKeyView};
use super::{Admin, AdminError};

/// A signer whose key can be rotated.
#[async_trait]
pub(crate) trait SigningKeys: Signer {
    /// Creates a new key and signs with it from now on. Former keys stay published.
    async fn rotate(&self, now: Timestamp) -> Result<RotateOutcome, Unavailable>;
}

/// The outcome of a rotation.
pub(crate) enum RotateOutcome {
    /// The signer uses a new key.
    Rotated,
    /// Too many former keys are still published. The text says what to do.
    Refused(String),
}

impl Admin {
    pub(super) async fn issue_key(
        &self,
        app: &AppId,
        mode: KeyMode,
    ) -> Result<NewKeyView, AdminError> {
        let key = PresentedApiKey::generate_for(mode, self.entropy.as_ref());
        let record = ApiKeyRecord {
            hash: key.hash(),
            issued_at: self.clock.now(),
            revoked_at: None,
            mode,
        };
        match self.store.issue_key(app, record).await? {
            IssueKeyOutcome::Issued => Ok(NewKeyView::of(&key)),
            IssueKeyOutcome::TooMany => Err(AdminError::TooManyKeys(app.clone())),
            IssueKeyOutcome::UnknownApp => Err(AdminError::UnknownApp(app.clone())),
        }
    }

    pub(super) async fn list_keys(&self, app: &AppId) -> Result<AdminAnswer, AdminError> {
        self.find_app(app).await?;
        let keys = self.store.list_keys(app).await?;
        Ok(AdminAnswer::Keys(keys.iter().map(KeyView::of).collect()))
    }

    /// Revokes a key. Revoking it again changes nothing and succeeds.
    pub(super) async fn revoke_key(
        &self,
        app: &AppId,
        key: &ApiKeyId,
    ) -> Result<AdminAnswer, AdminError> {
        self.find_app(app).await?;
        let unknown = || AdminError::UnknownKey {
            app: app.clone(),
            key: key.clone(),
        };
        match self.store.revoke_key(app, key, self.clock.now()).await? {
            RevokeKeyOutcome::Revoked | RevokeKeyOutcome::AlreadyRevoked => {}
            RevokeKeyOutcome::Unknown => return Err(unknown()),
        }
        let keys = self.store.list_keys(app).await?;
        let revoked = keys
            .iter()
            .find(|record| record.hash.id() == *key)
            .ok_or_else(unknown)?;
        Ok(AdminAnswer::Key(KeyView::of(revoked)))
    }

    pub(super) async fn list_signing_keys(&self) -> Result<AdminAnswer, AdminError> {
        let keys = self.signing_keys()?.public_keys().await?;
        Ok(AdminAnswer::SigningKeys(SigningKeyView::all(&keys)))
    }

    pub(super) async fn rotate_signing_key(&self) -> Result<AdminAnswer, AdminError> {
        match self.signing_keys()?.rotate(self.clock.now()).await? {
            RotateOutcome::Rotated => self.list_signing_keys().await,
            RotateOutcome::Refused(why) => Err(AdminError::RotationRefused(why)),
        }
    }

    pub(super) fn signing_keys(&self) -> Result<&dyn SigningKeys, AdminError> {
        self.signing_keys.as_deref().ok_or(AdminError::KeysInKms)
    }
}
