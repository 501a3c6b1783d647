//! Expiry of a test login on request of the app's own tests.

use super::live;
use crate::delivery::Decision;
use crate::login::{Login, Refusal, State, Status};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;

/// Makes a test login of this app expire. An expired login does not change. Logins that are not tests never
/// change.
#[must_use]
pub fn expire(
    current: Option<Login>,
    app: &AppId,
    now: Timestamp,
) -> Decision<Login, Result<(), Refusal>> {
    let Some(item) = live(current, now).filter(|item| item.test && item.app == *app) else {
        return Decision::refused(Refusal::Unknown);
    };
    let status = item.status(now);
    if status == Status::Expired {
        return Decision::refuse(Ok(()));
    }
    let mut state = item.state.clone();
    match &mut state {
        State::Created { expires_at } | State::Scanned { expires_at, .. } => *expires_at = now,
        State::Confirmed { redeem_by, .. } => *redeem_by = now,
        State::Consumed { .. }
        | State::Denied { .. }
        | State::Blocked { .. }
        | State::Cancelled { .. } => return Decision::refused(Refusal::WrongStatus(status)),
    }
    Decision::enter(item, state, Ok(()))
}
