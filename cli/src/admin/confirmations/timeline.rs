//! The story of a confirmation.

use countersign_domain::confirmation::{Confirmation, Flow, State, Status};
use countersign_domain::primitives::time::Timestamp;

use super::misses::words;
use crate::admin::started::{Moment, Story};

/// Returns what happened to a confirmation, oldest first. It names no number.
pub(super) fn of(item: &Confirmation, now: Timestamp) -> Vec<Moment> {
    let mut story = Story::default();
    let title = match item.flow {
        Flow::Acquisition => "Started, to find out a number",
        Flow::Confirmation { .. } => "Started, to confirm a known number",
    };
    let test = item.test.then(|| "With a test key".to_owned());
    story.add(item.created_at, "started", title, test);
    match &item.state {
        State::Open { last_miss } => {
            if let Some(miss) = last_miss {
                let (sentence, advice) = words(miss.reason());
                story.add(miss.at(), "missed", sentence, Some(advice.to_owned()));
            }
            if item.status(now) == Status::Expired {
                story.add(
                    item.expires_at,
                    "expired",
                    "Expired without a fitting text",
                    None,
                );
            }
        }
        State::Cancelled { at } => story.add(*at, "cancelled", "Cancelled", None),
        State::Verified(verified) => {
            let origin = verified.origin.as_ref();
            let origin = origin.map(|it| format!("{} by {}", it.channel.into_str(), it.provider));
            story.add(verified.at, "verified", "Verified by a text", origin);
            if let Some(second) = &verified.second_sender {
                let title = "Another number sent the same code";
                let detail = "The code was shared or stolen. The first number stays verified.";
                story.add(second.at, "second_sender", title, Some(detail.to_owned()));
            }
            story.add_delivery(&verified.delivery);
        }
    }
    if let Some(at) = item.redacted_at {
        story.add(at, "redacted", "Its personal data was erased", None);
    }
    story.end()
}
