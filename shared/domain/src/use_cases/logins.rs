//! The use cases of logins by QR code or app link.

mod browser;
mod create;
mod decide;
mod expire;
mod initiate;
mod proof;
mod server;
mod visitor;

pub use browser::{LoginStatus, cancel, check_code, redeem, status, watch};
pub use create::{AllowedRequest, CreateError, CreateRequest, Created, approve, create};
pub use decide::{confirm, deny};
pub use expire::expire;
pub use initiate::{InitiateRequest, Initiated, initiate};
pub use server::{InspectedLogin, cancel_for_app, inspect};
pub use visitor::Visitor;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::wake_dispatcher;
use crate::app::App;
use crate::delivery::Decision;
use crate::delivery::transitions::HasDelivery as _;
use crate::event::{Event, Labels, LoginEvent};
use crate::login::history::NameLimit;
use crate::login::proof_verifier::ProofVerifier;
use crate::login::sighting::GeoIp;
use crate::login::transitions::detach_watcher;
use crate::login::{Login, Refusal, State};
use crate::primitives::ids::{AppId, LoginId};
use crate::primitives::push::{NotifyOutcome, Push};
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::store::ReadEntity;

/// The reason why a request about a login failed.
#[derive(Debug, Error)]
pub enum LoginError {
    /// The login refused the request.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A port failed.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// The ports of these use cases.
#[derive(Clone, Copy)]
pub struct LoginPorts<'a> {
    /// The ports of most use cases.
    pub common: super::Ports<'a>,
    /// Verifier of proofs.
    pub proofs: &'a dyn ProofVerifier,
    /// Limit on new names that are remembered.
    pub names: &'a dyn NameLimit,
    /// Notifies browsers and phones of changes.
    pub push: &'a dyn Push,
    /// Locates IP addresses.
    pub geo: &'a dyn GeoIp,
}

impl<'a> Deref for LoginPorts<'a> {
    type Target = super::Ports<'a>;

    fn deref(&self) -> &Self::Target {
        &self.common
    }
}

impl LoginPorts<'_> {
    /// Disables counting if `uncounted`: tests must not affect the metrics of real users.
    fn uncounted_if(self, uncounted: bool) -> Self {
        Self {
            common: self.common.uncounted_if(uncounted),
            ..self
        }
    }

    /// Returns the ports for the events of a login: tests are not counted.
    fn about(self, login: &Login) -> Self {
        self.uncounted_if(login.test)
    }

    fn count(&self, event: LoginEvent, app: Option<&AppId>) {
        let labels = Labels {
            app,
            ..Labels::default()
        };
        self.metrics.count(&Event::Login(event), labels);
    }

    /// Returns the current app of a login; `None` if it was deleted, or if there is no login.
    async fn app_of(&self, login: Option<&Login>) -> Result<Option<Arc<App>>, Unavailable> {
        match login {
            Some(login) => self.store.find_app(&login.app).await,
            None => Ok(None),
        }
    }

    /// Changes a login and notifies its devices. Returns the login if it changed.
    async fn change<T>(
        &self,
        id: LoginId,
        decide: impl Fn(Option<Login>) -> Decision<Login, Result<T, Refusal>>,
        now: Timestamp,
    ) -> Result<(T, Option<Login>), LoginError> {
        let read = self.store.read(id).await?;
        self.change_read(read, decide, now).await
    }

    /// Changes a login that was already read, as [`change`](Self::change) does.
    async fn change_read<T>(
        &self,
        read: ReadEntity<Login>,
        decide: impl Fn(Option<Login>) -> Decision<Login, Result<T, Refusal>>,
        now: Timestamp,
    ) -> Result<(T, Option<Login>), LoginError> {
        let ports = self.uncounted_if(read.entity().is_some_and(|login| login.test));
        let (outcome, changed) = self.store.change_read(read, decide).await?;
        match (&outcome, &changed) {
            (Err(Refusal::CheckCodeWrong { .. }), _) => {
                let app = changed.as_ref().map(|login| &login.app);
                ports.count(LoginEvent::CheckCodeWrong, app);
            }
            (Err(refusal), Some(login)) => {
                let count = |event| ports.count(event, Some(&login.app));
                if matches!(login.state, State::Cancelled { .. }) {
                    count(LoginEvent::Cancelled);
                }
                match refusal {
                    Refusal::SecondPhone => count(LoginEvent::SecondPhone),
                    Refusal::Forbidden => count(LoginEvent::ForbiddenConfirmed),
                    Refusal::CheckCodeBlocked => count(LoginEvent::CheckCodeBlocked),
                    _ => {}
                }
                ports.notify_watchers(login, now).await;
            }
            (Ok(_), Some(login)) => ports.notify_watchers(login, now).await,
            (_, None) => {}
        }
        Ok((outcome?, changed))
    }

    /// Enqueues the webhook about a decision, if any.
    async fn queue_webhook(&self, login: &Login) {
        if let Some(pointer) = login.pointer() {
            wake_dispatcher(self.common, pointer, Duration::ZERO).await;
        }
    }

    async fn notify_watchers(&self, login: &Login, now: Timestamp) {
        notify_watchers(self.common, self.push, login, now).await;
    }
}

/// Notifies the connections that watch a login that it has changed. Devices also poll, so failures are only counted.
pub async fn notify_watchers(
    ports: super::Ports<'_>,
    push: &dyn Push,
    login: &Login,
    now: Timestamp,
) {
    let ports = ports.uncounted_if(login.test);
    let failed = || {
        let event = Event::Login(LoginEvent::PushFailed);
        ports.metrics.count(&event, Labels::of_app(&login.app));
    };
    for watcher in &login.watchers {
        match push.notify(watcher).await {
            Ok(NotifyOutcome::Sent) => {}
            Ok(NotifyOutcome::Gone) => {
                let detach = |current| detach_watcher(current, watcher, now);
                if ports.store.change(login.id, detach).await.is_err() {
                    failed();
                }
            }
            Err(_) => failed(),
        }
    }
}
