//! Numbers to which something happens by itself if a test key starts a confirmation of them.

use crate::primitives::phone::PhoneNumber;

/// The provider of simulated texts, by name.
pub const PROVIDER: &str = "simulated";

/// What happens to a confirmation of such a number. They are where those of other services are, so that nobody takes
/// them for a person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simulation {
    /// `+15005550001`: the text arrives at once, and the webhook after the answer.
    Verified,
    /// `+15005550002`: the text arrives at once, from another number.
    WrongSender,
    /// `+15005550003`: the confirmation has expired when it is started, and the text arrives then.
    Late,
    /// `+15005550004`: the text arrives at once, and the receiver of the webhook cannot be reached.
    ReceiverDown,
    /// `+15005550005`: the text arrives at once, without its sender's number.
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
