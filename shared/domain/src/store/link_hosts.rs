//! Link hosts of apps. An app with the web authenticator has its host for itself, so an app gets a host, or the web
//! authenticator there, in one write with the document of the host: of two such changes at once, the second is refused
//! or made anew.

use super::document::{AppDocument, Candidates, Entity as _, Key};
use super::items::{CreateResult, ReplaceResult, StoredDocument, Write};
use super::{BEFORE_ANY_PURGE, Store};
use crate::app::App;
use crate::app::login::WebPhoneRefusal;
use crate::primitives::unavailable::Unavailable;

impl Store {
    /// Checks that an app may have its link host beside the other apps there ([`App::check_host_beside`]). Returns the
    /// write that makes it a candidate for the host, which must be made together with the app's own: of two apps that get a
    /// host or its web authenticator at the same moment, the second is then checked again.
    ///
    /// Returns no write if the app gets neither.
    pub(super) async fn taken_host(
        &self,
        app: &App,
        before: Option<&App>,
    ) -> Result<Result<Option<Write>, WebPhoneRefusal>, Unavailable> {
        let Some(host) = &app.login.link_host else {
            return Ok(Ok(None));
        };
        let is_same = |before: &App| {
            before.login.link_host.as_ref() == Some(host)
                && (before.login.web_phone || !app.login.web_phone)
        };
        if before.is_some_and(is_same) {
            return Ok(Ok(None));
        }
        let read = self.read::<Candidates>(Key::LinkHost(host.clone())).await?;
        let mut candidates = read.entity.unwrap_or_default();
        for id in &candidates.apps {
            if let Some(other) = self.find_app(id).await?
                && let Err(refusal) = app.check_host_beside(&other)
            {
                return Ok(Err(refusal));
            }
        }
        candidates.apps.insert(app.id.clone());
        Ok(Ok(Some(Write {
            key: read.key,
            seen: read.stored,
            new: candidates.into_document(),
        })))
    }

    /// Writes an app's document if it is as it was `seen`, together with what [`taken_host`](Self::taken_host) returned.
    /// Returns whether it was written.
    pub(super) async fn write_app(
        &self,
        seen: Option<StoredDocument>,
        new: AppDocument,
        at_host: Option<Write>,
    ) -> Result<bool, Unavailable> {
        let id = new.app.id.clone();
        let (key, new) = (Key::App(id.clone()), new.into_document());
        let written = match (at_host, seen) {
            (Some(at_host), seen) => {
                self.items
                    .write_both([Write { key, seen, new }, at_host])
                    .await
            }
            (None, Some(seen)) => {
                let replaced = self.items.replace(&key, &seen, new).await;
                replaced.map(|replaced| replaced == ReplaceResult::Made)
            }
            (None, None) => {
                let created = self.items.create(&key, new, BEFORE_ANY_PURGE, None).await;
                created.map(|created| created == CreateResult::Made)
            }
        };
        self.apps.written(&id);
        written
    }
}
