//! Test numbers: a confirmation of one of them that a test key starts is simulated without a text.

use crate::primitives::phone::PhoneNumber;

/// The provider of simulated texts, by name.
pub const PROVIDER: &str = "simulated";

/// The simulated course of a confirmation of a test number. The numbers are in the same range as other services' test
/// numbers, so they cannot be mistaken for real ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simulation {
    /// `+15005550001`: the text arrives immediately, and the webhook follows the answer.
    Verified,
    /// `+15005550002`: the text arrives immediately, from a different number.
    WrongSender,
    /// `+15005550003`: the confirmation is already expired when it is started, and the text arrives
    /// then.
    Late,
    /// `+15005550004`: the text arrives immediately, and the receiver of the webhook is unreachable.
    ReceiverDown,
    /// `+15005550005`: the text arrives immediately, without its sender's number.
    NumberHidden,
}

impl Simulation {
    /// Returns the simulation of a number; `None` for an ordinary number.
    #[must_use]
    pub fn from_number(number: &PhoneNumber) -> Option<Self> {
        match number.as_str() {
            "+15005550001" => Some(Self::Verified),
            "+15005550002" => Some(Self::WrongSender),
            "+15005550003" => Some(Self::Late),
            "+15005550004" => Some(Self::ReceiverDown),
            "+15005550005" => Some(Self::NumberHidden),
            _ => None,
        }
    }
}
