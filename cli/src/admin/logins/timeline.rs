//! The story of a login.

use std::fmt::Display;

use countersign_domain::login::{BlockReason, Login, State, Status};
use countersign_domain::primitives::time::Timestamp;

use crate::admin::started::{Moment, Story, TEST_KEY};

/// Returns what happened to a login, oldest first.
pub(super) fn of(login: &Login, now: Timestamp) -> Vec<Moment> {
    let mut story = Story::default();
    let test = login.test.then(|| TEST_KEY.to_owned());
    let values: [(&str, &dyn Display); 1] = [("test", &login.test)];
    story.add_with(login.created_at, "created", "Opened", test, values);
    if let Some(phone) = login.phone() {
        let flags = phone
            .risk
            .flags()
            .iter()
            .map(|&flag| <&'static str>::from(flag));
        let flags: Vec<_> = flags.collect();
        let flags = flags.join(", ");
        let detail = (!flags.is_empty()).then(|| format!("Risk: {flags}"));
        let values: [(&str, &dyn Display); 1] = [("flags", &flags)];
        story.add_with(
            phone.scanned_at,
            "scanned",
            "A phone opened the code",
            detail,
            values,
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
            let (name, why) = why(reason);
            let values: [(&str, &dyn Display); 1] = [("reason", &name)];
            story.add_with(*at, "blocked", "Blocked", Some(why.to_owned()), values);
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

/// Returns the stable name of a reason, and its sentence.
const fn why(reason: &BlockReason) -> (&'static str, &'static str) {
    match reason {
        BlockReason::SecondPhone => (
            "second_phone",
            "A second phone opened the code, so another person may have it.",
        ),
        BlockReason::Risk => ("risk", "It was confirmed although the risk was too high."),
        BlockReason::KeyMismatch(_) => (
            "key_mismatch",
            "The code on the screen does not fit the service's answer.",
        ),
        BlockReason::CheckCode => ("check_code", "The browser sent too many wrong check codes."),
    }
}
