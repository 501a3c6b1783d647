//! A phone opens the code: `POST /qr-sessions/{id}/initiate`.

use thiserror::Error;

use super::{Ports, Visitor};
use crate::app::App;
use crate::event::LoginEvent;
use crate::login::history::HistoryQuery;
use crate::login::risk::{BrowserMark, RiskStatus};
use crate::login::transitions::InitiateOutcome;
use crate::login::{ClaimedUserId, Login, MobileToken, Phone, Status, risk};
use crate::primitives::ids::LoginId;
use crate::primitives::unavailable::Unavailable;

/// A request to open a code.
#[derive(Clone, Debug)]
pub struct InitiateRequest<'a> {
    /// Whose app key it came with.
    pub app: &'a App,
    /// What the code says.
    pub id: LoginId,
    /// By what the phone will be known.
    pub token: &'a MobileToken,
    /// The phone.
    pub phone: Visitor,
    /// Who it says that its user is.
    pub user: Option<ClaimedUserId>,
}

/// Why a code was not opened.
#[derive(Debug, Error)]
pub enum InitiateError {
    /// The app has no such session, or not any more.
    #[error("there is no such session")]
    Unknown,
    /// Another phone had opened it, and it is blocked from now on.
    #[error("another phone opened the code; the session is blocked")]
    SecondPhone,
    /// It had ended.
    #[error("the session is {}", .0.as_str())]
    Ended(Status),
    /// The time of the session that this phone had opened is over.
    #[error("the session has expired")]
    Expired,
    /// Ours.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Opens a code and judges its risk; answers the session with what the phone is to show. Repeated
/// with the same token it answers the same.
pub async fn initiate(
    ports: Ports<'_>,
    request: InitiateRequest<'_>,
) -> Result<Login, InitiateError> {
    let now = ports.clock.now();
    // What the risk is judged by, the browser's part, never changes, so that it can be read first.
    let found = ports.sessions.find(request.id, now).await?;
    let Some(found) = found.filter(|item| item.app == request.app.id) else {
        return Err(InitiateError::Unknown);
    };
    // One that ran out before anybody opened it is none, and costs no more than none.
    if found.phone().is_none() && found.status(now) == Status::Expired {
        return Err(InitiateError::Unknown);
    }
    let sighting = request.phone.sighting(ports.geo);
    let person = request.user.as_ref();
    let query = HistoryQuery {
        app: request.app.id.clone(),
        browser: found.browser.block(),
        person: person.map(|user| (user.key(&request.app.id), BrowserMark::of(&found.browser))),
    };
    let history = ports.history.recent(&query, now).await?;
    let policy = request.app.login.risk;
    let phone = Phone {
        token: request.token.hash(),
        risk: risk::assess(&found.browser, &sighting, policy, &history, now),
        sighting,
        user: request.user,
        scanned_at: now,
    };
    let app = &request.app.id;
    match ports.sessions.initiate(request.id, app, phone, now).await? {
        InitiateOutcome::Opened(session) => {
            ports.count(LoginEvent::Scanned);
            let risk = session.phone().map(|phone| phone.risk.status());
            if risk == Some(RiskStatus::Deny) {
                ports.count(LoginEvent::RiskDenied);
            }
            ports.tell(&session, now).await;
            Ok(*session)
        }
        InitiateOutcome::Repeated(session) => Ok(*session),
        InitiateOutcome::SecondPhone(session) => {
            ports.count(LoginEvent::SecondPhone);
            ports.tell(&session, now).await;
            Err(InitiateError::SecondPhone)
        }
        InitiateOutcome::Ended(status) => Err(InitiateError::Ended(status)),
        InitiateOutcome::Expired => Err(InitiateError::Expired),
        InitiateOutcome::Unknown => Err(InitiateError::Unknown),
    }
}
