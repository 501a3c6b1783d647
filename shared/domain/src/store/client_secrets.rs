//! Client secrets of apps. They are part of the app's document, which names the client, so they need no pointers.

use std::sync::Arc;

use super::Store;
use super::document::AppDocument;
use crate::app::client_secret::{
    ClientSecretId, ClientSecretRecord, MAX_ACTIVE_SECRETS, PresentedClientSecret,
};
use crate::delivery::Decision;
use crate::primitives::day::Day;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;

/// The result of issuing a client secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssueSecretOutcome {
    Issued,
    /// The app already has [`MAX_ACTIVE_SECRETS`] active secrets.
    TooMany,
    /// The app is a public client, which cannot keep a secret.
    PublicClient,
    /// There is no such app.
    UnknownApp,
}

/// The result of revoking a client secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RevokeSecretOutcome {
    /// The secret is revoked now, or was before.
    Revoked(ClientSecretRecord),
    /// There is no such app.
    UnknownApp,
    /// The app has no such secret.
    Unknown,
}

impl Store {
    /// Returns whether this is an active secret of the app, and notes its use. The secrets may come from a cache that is
    /// at most 60 s old; a secret revoked by this process counts as revoked immediately.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn client_secret_fits(
        &self,
        app: &AppId,
        presented: &PresentedClientSecret,
    ) -> Result<bool, Unavailable> {
        let hash = presented.hash();
        let known = |secrets: &[ClientSecretRecord]| {
            let found = secrets.iter().find(|secret| secret.hash == hash);
            found.map(ClientSecretRecord::is_active)
        };
        let cached = self.apps.app(app, self.clock.now());
        let mut fits = cached.and_then(|cached| known(&cached.client_secrets));
        if fits.is_none() {
            // The secret is unknown, or is newer than the cached app.
            let read = self.read_app(app).await?;
            fits = read.and_then(|read| known(&read.client_secrets));
        }
        let fits = fits.unwrap_or(false);
        if fits {
            self.note_key_use(&hash.of_use());
        }
        Ok(fits)
    }

    /// Adds a client secret to an app, unless it has too many.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn issue_client_secret(
        &self,
        app: &AppId,
        secret: ClientSecretRecord,
    ) -> Result<IssueSecretOutcome, Unavailable> {
        let decide = |current: Option<AppDocument>| {
            let Some(mut current) = current else {
                return Decision::refuse(IssueSecretOutcome::UnknownApp);
            };
            if current.app.openid.public_client {
                return Decision::refuse(IssueSecretOutcome::PublicClient);
            }
            let secrets = &mut current.client_secrets;
            if !secrets.contains(&secret) {
                let active = secrets.iter().filter(|secret| secret.is_active());
                if active.count() >= MAX_ACTIVE_SECRETS {
                    return Decision::refuse(IssueSecretOutcome::TooMany);
                }
                secrets.push(secret.clone());
            }
            Decision {
                outcome: IssueSecretOutcome::Issued,
                write: Some(current),
            }
        };
        self.change_document(app, decide).await
    }

    /// Returns an app's client secrets with the days of their last uses, including revoked ones, oldest first; empty if
    /// there is no such app.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn list_client_secrets(
        &self,
        app: &AppId,
    ) -> Result<Vec<(ClientSecretRecord, Option<Day>)>, Unavailable> {
        let found = self.app_document(app).await?;
        let mut secrets = found.map_or_else(Vec::new, |app| app.client_secrets);
        secrets.sort_by_key(|secret| (secret.issued_at, secret.hash));
        let hashes: Arc<[_]> = secrets.iter().map(|secret| secret.hash.of_use()).collect();
        let days = self.last_uses_of(&hashes).await?;
        Ok(secrets.into_iter().zip(days).collect())
    }

    /// Revokes an app's client secret. Revoking it again changes nothing.
    ///
    /// # Errors
    /// Fails if the store is unavailable.
    pub async fn revoke_client_secret(
        &self,
        app: &AppId,
        secret: &ClientSecretId,
        now: Timestamp,
    ) -> Result<RevokeSecretOutcome, Unavailable> {
        let decide = |current: Option<AppDocument>| {
            let Some(mut current) = current else {
                return Decision::refuse(RevokeSecretOutcome::UnknownApp);
            };
            let mut secrets = current.client_secrets.iter_mut();
            let Some(known) = secrets.find(|known| known.hash.id() == *secret) else {
                return Decision::refuse(RevokeSecretOutcome::Unknown);
            };
            let was_active = known.is_active();
            known.revoked_at.get_or_insert(now);
            Decision {
                outcome: RevokeSecretOutcome::Revoked(known.clone()),
                write: was_active.then_some(current),
            }
        };
        self.change_document(app, decide).await
    }
}
