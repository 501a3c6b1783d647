//! Ending a login for an operator.

use countersign_domain::event::{Event, Labels, LoginEvent, Metrics as _};
use countersign_domain::login::{Login, Refusal, transitions};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::use_cases::Ports;
use countersign_domain::use_cases::logins::notify_watchers;
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use super::LoginSummary;
use crate::admin::request::{Answer, Request};
use crate::admin::started_refusal::StartedRefusal;
use crate::admin::{Admin, AdminError};

/// Cancels a login that is under way: no phone can confirm it any longer, and its payload cannot be redeemed.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelLogin {
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) id: LoginId,
}

impl Answer for LoginSummary {}

impl Request for CancelLogin {
    const NAME: &'static str = "cancel_login";
    const CHANGES: bool = true;
    type Answer = LoginSummary;

    async fn app(&self, admin: &Admin) -> Option<AppId> {
        let found = admin.store.find::<Login>(self.id, admin.clock.now()).await;
        Some(found.ok()??.app)
    }

    async fn execute(self, admin: &Admin) -> Result<LoginSummary, AdminError> {
        let now = admin.clock.now();
        let unknown = || StartedRefusal::Unknown(self.id.to_string());
        let found = admin.store.find::<Login>(self.id, now).await?;
        // A login's browser never changes.
        let browser = found.ok_or_else(unknown)?.browser_token;
        let decide = |current| transitions::cancel(current, &browser, now);
        let (outcome, cancelled) = admin.store.change_and_return(self.id, decide).await?;
        match (outcome, cancelled) {
            (Ok(()), Some(login)) => {
                admin.tell_devices(&login, now).await;
                Ok(LoginSummary::of(&login, now))
            }
            (Err(Refusal::Expired), _) => Err(StartedRefusal::NotLive("expired").into()),
            (Err(Refusal::WrongStatus(status)), _) => {
                Err(StartedRefusal::NotLive(status.into_str()).into())
            }
            (Err(_) | Ok(()), _) => Err(unknown().into()),
        }
    }
}

impl Admin {
    /// Tells the page and the phone that a login has changed. Without a running server they find out when they poll.
    async fn tell_devices(&self, login: &Login, now: Timestamp) {
        let Some(running) = &self.running else { return };
        if !login.test {
            let event = Event::Login(LoginEvent::Cancelled);
            running.counters.count(&event, Labels::of_app(&login.app));
        }
        let ports = Ports {
            store: &self.store,
            queue: running.queue.as_ref(),
            clock: self.clock.as_ref(),
            entropy: self.entropy.as_ref(),
            metrics: running.counters.as_ref(),
        };
        notify_watchers(ports, running.push.as_ref(), login, now).await;
    }
}
