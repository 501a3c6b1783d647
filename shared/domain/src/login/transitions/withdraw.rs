//! The withdrawal of a login that the app's settings no longer allow.

use crate::app::login::LoginSettings;
use crate::delivery::Decision;
use crate::login::{Login, Refusal, State};
use crate::primitives::time::Timestamp;

/// Decides a step of a login under the app's current settings; `None` if the app was deleted. If the app's
/// settings no longer allow the login, a step that would succeed ends it instead, with this refusal. A step that
/// would be refused anyway is still refused, so that strangers cannot end logins.
pub fn unless_withdrawn<T>(
    current: Option<Login>,
    settings: Option<&LoginSettings>,
    refusal: Refusal,
    now: Timestamp,
    decide: impl FnOnce(Option<Login>) -> Decision<Login, Result<T, Refusal>>,
) -> Decision<Login, Result<T, Refusal>> {
    let current = match settings {
        Some(settings) => current.map(|login| login.under(settings)),
        None => current,
    };
    let withdrawn = current
        .clone()
        .filter(|login| login.status(now).is_live() && login.is_withdrawn(settings));
    let decision = decide(current);
    match withdrawn {
        Some(login) if decision.outcome.is_ok() => {
            let phone = login.phone().cloned().map(Box::new);
            Decision::enter(login, State::Cancelled { phone, at: now }, Err(refusal))
        }
        _ => decision,
    }
}

#[cfg(test)]
mod tests;
