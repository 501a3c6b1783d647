//! Hourly counts of what happened to confirmations and logins, for plots.
//!
//! An item takes each [`Step`] at most once. A change of an item counts the steps that the item has taken after the
//! change and had not taken before it. A store that adds these counts in the transaction of the change therefore
//! neither misses nor repeats any. Items that were started with test keys are not counted.

mod series;
mod sums;

use std::time::Duration;

pub use series::{HourSeries, OTHER, Series};
pub use sums::{HourSum, Split, StepCounts, Sums};

use crate::confirmation::Confirmation;
use crate::login::{Login, State as LoginState};
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;

/// Time for which counts are kept.
pub const RETENTION: Duration = Duration::from_hours(90 * 24);

const HOUR: Duration = Duration::from_hours(1);

/// An hour: its number since the Unix epoch, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hour(pub u64);

impl Hour {
    /// Returns the hour that contains an instant.
    #[must_use]
    pub const fn of(at: Timestamp) -> Self {
        Self(at.as_secs() / HOUR.as_secs())
    }

    /// Returns the first instant of the hour.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        Timestamp::from_millis(self.0.saturating_mul(HOUR.as_secs() * 1000))
    }

    /// Returns the hour after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Returns the first hour whose counts are kept at `now`.
    #[must_use]
    pub const fn first_kept(now: Timestamp) -> Self {
        Self(
            Self::of(now)
                .0
                .saturating_sub(RETENTION.as_secs() / HOUR.as_secs()),
        )
    }
}

/// Something that happens at most once to a confirmation or login.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Step {
    /// The app started the confirmation.
    Started,
    /// The first text with the confirmation's code arrived, whether or not it completed the confirmation.
    Texted,
    /// A text completed the confirmation.
    Verified,
    /// A receiver accepted the confirmation's webhook.
    Delivered,
    /// The person confirmed the login on the phone.
    LoggedIn,
}

/// A step that an item has taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Counted {
    pub hour: Hour,
    pub series: Series,
    pub step: Step,
}

/// Returns the steps of a confirmation that a change adds; all of them if `before` is `None`.
#[must_use]
pub fn confirmation_steps(before: Option<&Confirmation>, after: &Confirmation) -> Vec<Counted> {
    if after.test {
        return Vec::new();
    }
    let had = before.map(times);
    let taken = times(after).into_iter().filter(|(step, _)| {
        let had = had.as_deref().unwrap_or_default();
        !had.iter().any(|(earlier, _)| earlier == step)
    });
    let taken: Vec<(Step, Timestamp)> = taken.collect();
    if taken.is_empty() {
        return Vec::new();
    }
    let country = after.number().and_then(PhoneNumber::country);
    let country = country.or_else(|| after.send_to.country());
    let origin = after.verified().and_then(|it| it.origin.as_ref());
    let provider = origin.map_or("", |origin| &origin.provider);
    let counted = taken.into_iter().map(|(step, at)| Counted {
        hour: Hour::of(at),
        series: Series::new(
            &after.app,
            country,
            // The start precedes the text, and so its provider is unknown.
            if step == Step::Started { "" } else { provider },
        ),
        step,
    });
    counted.collect()
}

/// Returns the steps of a login that a change adds; all of them if `before` is `None`.
#[must_use]
pub fn login_steps(before: Option<&Login>, after: &Login) -> Vec<Counted> {
    if after.test || before.and_then(confirmed_at).is_some() {
        return Vec::new();
    }
    let counted = confirmed_at(after).map(|at| Counted {
        hour: Hour::of(at),
        series: Series::new(&after.app, None, ""),
        step: Step::LoggedIn,
    });
    counted.into_iter().collect()
}

/// Returns the steps that a confirmation has taken, each with its time.
fn times(item: &Confirmation) -> Vec<(Step, Timestamp)> {
    let mut times = vec![(Step::Started, item.created_at)];
    if let Some(miss) = item.last_miss() {
        times.push((Step::Texted, miss.at()));
    }
    if let Some(verified) = item.verified() {
        times.push((Step::Texted, verified.at));
        times.push((Step::Verified, verified.at));
        // A redelivery makes an accepted webhook pending again.
        let delivery = verified.delivery.as_ref();
        let mut attempts = delivery.into_iter().flat_map(|it| &it.attempts);
        let accepted = attempts.find(|attempt| attempt.result.is_success());
        times.extend(accepted.map(|it| (Step::Delivered, it.at.plus(it.duration))));
    }
    times
}

const fn confirmed_at(login: &Login) -> Option<Timestamp> {
    match login.state {
        LoginState::Confirmed { at, .. } => Some(at),
        LoginState::Consumed { confirmed_at, .. } => Some(confirmed_at),
        _ => None,
    }
}
