//! The story of a login.

use countersign_domain::login::{BlockReason, Login, State, Status};
use countersign_domain::primitives::time::Timestamp;

use crate::admin::started::{Moment, Story};

/// Returns what happened to a login, oldest first.
pub(super) fn of(login: &Login, now: Timestamp) -> Vec<Moment> {
    let mut story = Story::default();
    let test = login.test.then(|| "With a test key".to_owned());
    story.add(login.created_at, "created", "Opened", test);
    if let Some(phone) = login.phone() {
        let flags = phone
            .risk
            .flags()
            .iter()
            .map(|&flag| <&'static str>::from(flag));
        let flags: Vec<_> = flags.collect();
        let detail = (!flags.is_empty()).then(|| format!("Risk: {}", flags.join(", ")));
        story.add(
            phone.scanned_at,
            "scanned",
            "A phone opened the code",
            detail,
        );
    }
    match &login.state {
        State::Created { .. } | State::Scanned { .. } => {}
        State::Confirmed { at, .. } => story.add(*at, "confirmed", "Confirmed on the phone", None),
        State::Consumed {
            confirmed_at, at, ..
        } => {
            story.add(*confirmed_at, "confirmed", "Confirmed on the phone", None);
            story.add(*at, "consumed", "The browser is logged in", None);
        }
        State::Denied { at, .. } => story.add(*at, "denied", "Denied on the phone", None),
        State::Blocked { at, reason, .. } => {
            story.add(*at, "blocked", "Blocked", Some(why(reason).to_owned()));
        }
        State::Cancelled { at, .. } => story.add(*at, "cancelled", "Cancelled", None),
    }
    if login.status(now) == Status::Expired {
        story.add(login.expires_at(), "expired", "Expired", None);
    }
    if let Some(notice) = &login.notice {
        story.add_delivery(&notice.delivery);
    }
    story.end()
}

const fn why(reason: &BlockReason) -> &'static str {
    match reason {
        BlockReason::SecondPhone => {
            "A second phone opened the code, so another person may have it."
        }
        BlockReason::Risk => "It was confirmed although the risk was too high.",
        BlockReason::KeyMismatch(_) => "The code on the screen does not fit the service's answer.",
        BlockReason::CheckCode => "The browser sent too many wrong check codes.",
    }
}
