//! Assertions for cases. They return a [`Failure`] instead of panicking.

use std::error::Error;
use std::fmt::{self, Debug};
use std::panic::Location;

use countersign_domain::primitives::unavailable::Unavailable;

/// An expectation that was not met, with its place and details.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(String);

/// The outcome of a case.
pub type Checked = Result<(), Failure>;

impl Failure {
    /// Returns a failure located at the caller.
    #[track_caller]
    #[must_use]
    pub fn new(text: impl fmt::Display) -> Self {
        let place = Location::caller();
        Self(format!("{}:{}: {text}", place.file(), place.line()))
    }

    /// Adds context in front of the failure.
    #[must_use]
    pub fn within(self, what: impl fmt::Display) -> Self {
        Self(format!("{what}: {}", self.0))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<Unavailable> for Failure {
    #[track_caller]
    fn from(error: Unavailable) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        Self::new(text)
    }
}

/// Checks that two values are equal. `what` describes the checked value.
///
/// # Errors
/// Fails, located at the caller, if the two differ.
#[track_caller]
#[allow(
    clippy::needless_pass_by_value,
    reason = "expectations are written in place, hundreds of times"
)]
pub fn equal<T: Debug + PartialEq>(what: &str, actual: T, expected: T) -> Checked {
    if actual == expected {
        Ok(())
    } else {
        Err(Failure::new(format_args!(
            "{what}\n    expected {expected:?}\n    got      {actual:?}"
        )))
    }
}

/// Checks a condition. `what` describes the condition.
///
/// # Errors
/// Fails, located at the caller, if the condition is false.
#[track_caller]
pub fn holds(what: &str, condition: bool) -> Checked {
    if condition {
        Ok(())
    } else {
        Err(Failure::new(format_args!("does not hold: {what}")))
    }
}
