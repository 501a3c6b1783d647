//! The story of a confirmation.

use std::fmt::Display;

use countersign_domain::confirmation::{Confirmation, Flow, State, Status};
use countersign_domain::primitives::time::Timestamp;

use super::misses::words;
use crate::admin::started::{Moment, Story, TEST_KEY};

/// Returns what happened to a confirmation, oldest first. It names no number.
pub(super) fn of(item: &Confirmation, now: Timestamp) -> Vec<Moment> {
    let mut story = Story::default();
    let (flow, title) = match item.flow {
        Flow::Acquisition => ("acquisition", "Started, to find out a number"),
        Flow::Confirmation { .. } => ("confirmation", "Started, to confirm a known number"),
    };
    let test = item.test.then(|| TEST_KEY.to_owned());
    let values: [(&str, &dyn Display); 2] = [("flow", &flow), ("test", &item.test)];
    story.add_with(item.created_at, "started", title, test, values);
    match &item.state {
        State::Open { last_miss } => {
            if let Some(miss) = last_miss {
                let (sentence, advice) = words(miss.reason());
                let values: [(&str, &dyn Display); 1] = [("miss", &miss.reason().into_str())];
                story.add_with(
                    miss.at(),
                    "missed",
                    sentence,
                    Some(advice.to_owned()),
                    values,
                );
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
            let title = "Verified by a text";
            if let Some(origin) = &verified.origin {
                let channel = origin.channel.into_str();
                let detail = format!("{channel} by {}", origin.provider);
                let values: [(&str, &dyn Display); 2] =
                    [("channel", &channel), ("provider", &origin.provider)];
                story.add_with(verified.at, "verified", title, Some(detail), values);
            } else {
                story.add(verified.at, "verified", title, None);
            }
            if let Some(second) = &verified.second_sender {
                let title = "Another number sent the same code";
                let detail = "The code was shared or stolen. The first number stays verified.";
                story.add(second.at, "second_sender", title, Some(detail.to_owned()));
            }
            if let Some(delivery) = &verified.delivery {
                story.add_delivery(delivery);
            }
        }
    }
    if let Some(at) = item.redacted_at {
        story.add(at, "redacted", "Its personal data was erased", None);
    }
    story.end()
}
