//! Expectations that a case states.

use std::error::Error;
use std::fmt::{self, Debug};
use std::panic::Location;

use countersign_domain::primitives::unavailable::Unavailable;

/// Where and how a case did not get what it expects.
#[derive(Clone, PartialEq, Eq)]
pub struct Failure(String);

/// What a case comes to.
pub type Checked = Result<(), Failure>;

impl Failure {
    /// A failure at the caller's place.
    #[track_caller]
    #[must_use]
    pub fn new(text: impl fmt::Display) -> Self {
        let place = Location::caller();
        Self(format!("{}:{}: {text}", place.file(), place.line()))
    }

    /// The same with what it happened in.
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

/// That two values are equal.
#[track_caller]
#[allow(
    clippy::needless_pass_by_value,
    reason = "expectations are written in place, hundreds of times"
)]
/// # Errors
/// Fails, at the caller's place, if the two differ.
pub fn equal<T: Debug + PartialEq>(what: &str, actual: T, expected: T) -> Checked {
    if actual == expected {
        Ok(())
    } else {
        Err(Failure::new(format_args!(
            "{what}\n    expected {expected:?}\n    got      {actual:?}"
        )))
    }
}

/// That something is so.
///
/// # Errors
/// Fails, at the caller's place, if it does not hold.
#[track_caller]
pub fn holds(what: &str, condition: bool) -> Checked {
    if condition {
        Ok(())
    } else {
        Err(Failure::new(format_args!("not so: {what}")))
    }
}
