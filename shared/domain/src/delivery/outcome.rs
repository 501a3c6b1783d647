//! The results of transitions: the item to write, and the answer to the caller.

use std::fmt;
use std::sync::Arc;

use super::{Delivery, DeliveryPointer};
use crate::primitives::ids::{AppId, WebhookId};
use crate::primitives::phone::{Country, PhoneNumber};
use crate::primitives::time::Timestamp;
use crate::primitives::watcher::WatcherId;
use crate::web::callback_url::CallbackUrl;

/// A decision about an item of type `T`: the store writes `write`, if there is something to write,
/// and answers `outcome`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<T, O> {
    /// The answer.
    pub outcome: O,
    /// The item after the transition; `None` leaves it as it is.
    pub write: Option<T>,
}

impl<T, O> Decision<T, O> {
    /// Answers without a write.
    pub const fn refuse(outcome: O) -> Self {
        Self {
            outcome,
            write: None,
        }
    }
}

/// The body of a webhook, byte for byte what is signed and sent. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookBody(Arc<str>);

impl WebhookBody {
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the text, shared.
    #[must_use]
    pub fn into_text(self) -> Arc<str> {
        self.0
    }
}

impl fmt::Debug for WebhookBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookBody(…)")
    }
}

/// A webhook whose next attempt was claimed, with all that the attempt needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The app whose webhook it is.
    pub app: AppId,
    /// Header `webhook-id`, the same for every attempt.
    pub webhook_id: WebhookId,
    /// The URL that the webhook is posted to.
    pub callback: CallbackUrl,
    /// The body; `None` if the data that it carries was erased.
    pub body: Option<WebhookBody>,
    /// The attempts, including the one just claimed.
    pub delivery: Delivery,
    /// Time of the text that caused the webhook, if a text did.
    pub verified_at: Option<Timestamp>,
    /// The country of the number that was verified, if its text caused the webhook.
    pub country: Option<Country>,
    /// The provider that brought the text, if a text caused the webhook.
    pub provider: Option<String>,
    /// The number whose carrier can be decided before this attempt: it is unnamed, and no attempt
    /// was settled before.
    pub undecided_carrier: Option<PhoneNumber>,
    /// The connection of a page that waits for the verification.
    pub watcher: Option<WatcherId>,
    /// Present if a test key started it.
    pub test: Option<TestDelivery>,
}

/// The fate of the webhook of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestDelivery {
    Sent,
    /// Nothing is sent, as if no connection could be made.
    ReceiverDown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The attempt is this caller's to make.
    Claimed(Box<ClaimedDelivery>),
    /// Another dispatcher made the attempt, it is not due yet, or no webhook is pending.
    Stale,
}

/// The outcome of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// The result of the attempt is stored.
    Settled {
        /// The next attempt, if one follows.
        pointer: Option<DeliveryPointer>,
    },
    /// Another attempt has taken its place. Nothing was stored.
    Superseded,
}

/// The outcome of a postponement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostponeOutcome {
    /// The sweep may put this pointer into the queue.
    Postponed(DeliveryPointer),
    /// The delivery moved on, or another sweep has it.
    Superseded,
}
