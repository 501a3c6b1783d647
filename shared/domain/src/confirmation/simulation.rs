//! Numbers to which something happens by itself if a test key starts a confirmation of them.

use crate::primitives::phone::PhoneNumber;

/// The provider of simulated texts, by name.
pub const PROVIDER: &str = "simulated";

/// The fate of a confirmation of such a number. They are in the same range as other services' test numbers, so that no one takes
/// them for a person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simulation {
    /// `+15005550001`: the text arrives immediately, and the webhook after the answer.
    Verified,
    /// `+15005550002`: the text arrives immediately, from another number.
    WrongSender,
    /// `+15005550003`: the confirmation has expired when it is started, and the text arrives then.
    Late,
    /// `+15005550004`: the text arrives immediately, and the receiver of the webhook cannot be reached.
    ReceiverDown,
    /// `+15005550005`: the text arrives immediately, without its sender's number.
    NumberHidden,
}

impl Simulation {
    /// Returns what happens to a number, if anything.
    #[must_use]
    pub fn of(number: &PhoneNumber) -> Option<Self> {
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
