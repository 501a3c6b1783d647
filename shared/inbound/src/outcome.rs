//! Content of a call, and the answer to its provider.

use std::borrow::Cow;

use countersign_domain::confirmation::text::InboundMessage;

use crate::call::SingleUse;
use crate::error::InboundError;
use crate::networks;
use crate::part::TextPart;

/// The result of authenticating and parsing a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Reading {
    /// A value that the caller must claim before it acts on the content.
    pub single_use: Option<SingleUse>,
    /// Content of the call.
    pub content: Content,
}

/// Content of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Content {
    /// Texts and other events, in the provider's order. The list may be empty.
    Events(Vec<Inbound>),
    /// The provider verifies that we own the address, and expects this answer.
    Handshake(ProviderResponse),
    /// The provider asks us to confirm a subscription: request this address with GET, then answer
    /// that the call was accepted.
    Subscription(SubscribeUrl),
}

impl Content {
    /// Creates the content of a call with one event.
    pub(crate) fn one(event: Inbound) -> Self {
        Self::Events(vec![event])
    }
}

/// One event of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Inbound {
    /// A complete text.
    Text {
        message: InboundMessage,
        /// The sender's network, if the provider reports its code instead of its name.
        network: Option<NetworkCode>,
    },
    /// One part of a longer text.
    Part(TextPart),
    /// Not a text, so it is only counted.
    Ignored(Ignored),
}

impl Inbound {
    /// Creates a text whose provider reports no network code.
    pub(crate) const fn text(message: InboundMessage) -> Self {
        Self::Text {
            message,
            network: None,
        }
    }
}

/// Why an event is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ignored {
    /// A delivery receipt, a reaction, an image without text, or a status.
    NotAText,
    /// An event that does not have the provider's documented format. If it were refused, the provider would
    /// repeat it together with the rest of the call.
    Malformed,
}

impl Ignored {
    /// Returns the name for logs and counters.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotAText => "not_a_text",
            Self::Malformed => "malformed",
        }
    }
}

/// A mobile country code and network code (ITU-T E.212), five or six digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetworkCode(String);

impl NetworkCode {
    /// Parses five or six digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.bytes().all(|c| c.is_ascii_digit());
        (digits && matches!(text.len(), 5 | 6)).then(|| Self(text.to_owned()))
    }

    /// Returns the digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name of the network, if it is a well-known one. The name is never a guess.
    #[must_use]
    pub fn carrier(&self) -> Option<&'static str> {
        networks::name_of(&self.0)
    }
}

/// The address that confirms a subscription, on a host of the provider. The address contains a
/// token.
#[derive(Clone, PartialEq, Eq)]
pub struct SubscribeUrl(pub(crate) String);

impl SubscribeUrl {
    /// Returns the address. Do not log the address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for SubscribeUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SubscribeUrl(…)")
    }
}

/// Outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All events were handled, whatever the texts caused.
    Taken,
    Refused(InboundError),
    /// A store or a queue is unavailable; the provider should call again.
    Unavailable,
}

/// An answer in the format that a provider expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderResponse {
    /// The status code.
    pub status: u16,
    /// The media type of the body, if there is one.
    pub content_type: Option<&'static str>,
    pub body: Cow<'static, str>,
}

impl ProviderResponse {
    /// Creates an answer without a body.
    #[must_use]
    pub const fn empty(status: u16) -> Self {
        Self {
            status,
            content_type: None,
            body: Cow::Borrowed(""),
        }
    }

    /// Returns the answer that most providers expect: 200 without a body for an accepted call, 503
    /// if calling again helps.
    #[must_use]
    pub const fn plain(outcome: Outcome) -> Self {
        Self::empty(match outcome {
            Outcome::Taken => 200,
            Outcome::Refused(error) => error.status(),
            Outcome::Unavailable => 503,
        })
    }
}
