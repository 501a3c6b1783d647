//! The results of transitions: the item to write, and the answer to the caller.

use std::fmt;
use std::sync::Arc;

use super::{Delivery, DeliveryPointer};
use crate::primitives::ids::{AppId, WebhookId};
use crate::primitives::phone::{Country, PhoneNumber};
use crate::primitives::time::Timestamp;
use crate::primitives::watcher::WatcherId;
use crate::web::callback_url::CallbackUrl;

/// A decision about an item of type `T`: the store writes `write`, if present, and returns
/// `outcome`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision<T, O> {
    /// The answer.
    pub outcome: O,
    /// The item after the transition; `None` leaves it unchanged.
    pub write: Option<T>,
}

impl<T, O> Decision<T, O> {
    /// Returns an outcome without a write.
    pub const fn refuse(outcome: O) -> Self {
        Self {
            outcome,
            write: None,
        }
    }
}

/// The body of a webhook: exactly the bytes that are signed and sent. `Debug` hides the body.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookBody(Arc<str>);

impl WebhookBody {
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the shared text.
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

/// A webhook whose next attempt was claimed, with everything that the attempt needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedDelivery {
    /// The app that the webhook belongs to.
    pub app: AppId,
    /// Header `webhook-id`, the same for every attempt.
    pub webhook_id: WebhookId,
    /// The URL that the webhook is posted to.
    pub callback: CallbackUrl,
    /// The body; `None` if its data was erased.
    pub body: Option<WebhookBody>,
    /// The attempts, including the one just claimed.
    pub delivery: Delivery,
    /// Time of the text that caused the webhook, if any.
    pub verified_at: Option<Timestamp>,
    /// The country of the verified number, if a text caused the webhook.
    pub country: Option<Country>,
    /// The provider that delivered the text, if a text caused the webhook.
    pub provider: Option<String>,
    /// The number whose carrier can be decided before this attempt: its carrier is unknown, and no
    /// attempt has been settled.
    pub undecided_carrier: Option<PhoneNumber>,
    /// The connection of a page that is waiting for the verification.
    pub watcher: Option<WatcherId>,
    /// Present if a test key started the item.
    pub test: Option<TestDelivery>,
}

/// The simulated delivery of a test's webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestDelivery {
    Sent,
    /// Nothing is sent; the attempt fails as if no connection could be made.
    ReceiverDown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The caller has claimed the attempt and must make it.
    Claimed(Box<ClaimedDelivery>),
    /// Another dispatcher has claimed the attempt, it is not due yet, or no webhook is pending.
    Stale,
}

/// The outcome of a settlement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleOutcome {
    /// The result of the attempt was stored.
    Settled {
        /// Pointer to the next attempt, if any.
        pointer: Option<DeliveryPointer>,
    },
    /// Another attempt has replaced this one. Nothing was stored.
    Superseded,
}

/// The outcome of a postponement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostponeOutcome {
    /// The sweep may enqueue this pointer.
    Postponed(DeliveryPointer),
    /// The delivery has changed, or another sweep has postponed it.
    Superseded,
}
