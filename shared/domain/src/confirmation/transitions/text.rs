//! The transitions caused by a text with the confirmation's code: it completes the confirmation, or
//! is recorded as a miss if it is the first one.

use std::time::Duration;

use super::live;
use crate::app::whatsapp::WhatsAppNumber;
use crate::confirmation::carrier::{Carrier, CarrierName};
use crate::confirmation::miss::{LastMiss, MissReason, UnusableText};
use crate::confirmation::{
    Confirmation, Flow, Redactable, SecondSender, State, TextChannel, TextFingerprint, TextOrigin,
    Verified,
};
use crate::delivery::transitions::HasDelivery as _;
use crate::delivery::{Decision, Delivery, DeliveryPointer, MAX_RETRY_WINDOW};
use crate::primitives::ids::AppId;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::primitives::watcher::WatcherId;

/// The facts about an inbound text, except the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEvidence {
    /// Sender of the text.
    pub from: PhoneNumber,
    /// Our number that the text was sent to.
    pub route: InboundRoute,
    /// Name of the sender's carrier; empty if the provider did not report it.
    pub carrier: CarrierName,
    /// Identifies the text.
    pub text: TextFingerprint,
    /// The provider that delivered the text, as in its route.
    pub provider: String,
}

/// Our number that a text was sent to, by the network that carried it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InboundRoute {
    /// One of the deployment's numbers on a mobile network. All of these numbers give the same
    /// proof.
    Sms,
    /// One of the deployment's numbers, whose SIM is in the operator's own modem. This gives the same
    /// proof as [`Sms`](Self::Sms).
    Modem,
    /// A number on WhatsApp. It completes only confirmations that were started with this number:
    /// such a text proves possession of an account and not of a SIM, so the app decides whether to
    /// accept it.
    WhatsApp(WhatsAppNumber),
    /// No number: a server with a test key of this app sent the text in place of a phone.
    Simulated(AppId),
}

impl InboundRoute {
    const fn channel(&self) -> TextChannel {
        match self {
            Self::Sms => TextChannel::Sms,
            Self::Modem => TextChannel::Modem,
            Self::WhatsApp(_) => TextChannel::WhatsApp,
            Self::Simulated(_) => TextChannel::Simulated,
        }
    }

    const fn simulated_by(&self) -> Option<&AppId> {
        match self {
            Self::Sms | Self::Modem | Self::WhatsApp(_) => None,
            Self::Simulated(app) => Some(app),
        }
    }
}

/// Returns whether a text can change the confirmation. A simulated text can change only confirmations that a test key
/// of its app started, any other text only those of live keys.
fn may_move(item: &Confirmation, simulated_by: Option<&AppId>) -> bool {
    match simulated_by {
        None => !item.test,
        Some(app) => item.test && item.app == *app,
    }
}

/// The result of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyOutcome {
    /// The text completed the confirmation, and the webhook is pending if the confirmation has one.
    Verified {
        /// Pointer for the queue; `None` without a webhook.
        pointer: Option<DeliveryPointer>,
        /// The connection of the confirmation's page. Present only without a webhook: otherwise the dispatcher notifies
        /// the page.
        watcher: Option<WatcherId>,
        /// The app that started the confirmation.
        app: AppId,
    },
    /// The provider delivered the same text again.
    Repeated {
        /// Pointer for the queue, if no attempt has been made: the process may have stopped before
        /// it enqueued the first pointer.
        pointer: Option<DeliveryPointer>,
        /// The app that started the confirmation.
        app: AppId,
    },
    /// The text did not complete the confirmation.
    Refused {
        refusal: VerifyRefusal,
        /// The confirmation that has the code, if any.
        missed: Option<MissedConfirmation>,
    },
}

impl VerifyOutcome {
    fn refused(item: &Confirmation, refusal: VerifyRefusal) -> Self {
        let missed = Some(MissedConfirmation {
            app: item.app.clone(),
            watcher: None,
        });
        Self::Refused { refusal, missed }
    }
}

/// A confirmation that a text with its code did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissedConfirmation {
    /// The app that started the confirmation.
    pub app: AppId,
    /// The connection of the confirmation's page, if the miss was recorded and the page is to be
    /// notified.
    pub watcher: Option<WatcherId>,
}

impl MissedConfirmation {
    fn recorded(item: &Confirmation, write: Option<&Confirmation>) -> Self {
        let page = write.and_then(|item| item.client.as_ref());
        Self {
            app: item.app.clone(),
            watcher: page.and_then(|page| page.watcher.clone()),
        }
    }
}

/// The reason why a text with a well-formed code completed no confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerifyRefusal {
    /// No confirmation has this code.
    Unknown,
    /// The confirmation has expired.
    Expired,
    /// The caller has cancelled the confirmation.
    Cancelled,
    /// Another text has completed the confirmation.
    AlreadyUsed,
    /// The confirmation expects a different number.
    WrongSender,
    /// The text came on WhatsApp, and the confirmation has a different number there or none.
    WrongRecipient,
    /// The sender is a number of a type that the app refuses.
    NumberTypeRefused,
}

/// Completes a confirmation if it is open, not expired, accepts the number that the text was sent to,
/// and expects this sender or, for an acquisition, any sender of a type that the app does not refuse.
/// The item is kept for `retention` after the end of the retries. A text that is late, or has the
/// wrong sender or recipient, is recorded as a miss unless the confirmation already has one.
#[must_use]
pub fn verify(
    current: Option<Confirmation>,
    evidence: &TextEvidence,
    now: Timestamp,
    retention: Duration,
) -> Decision<Confirmation, VerifyOutcome> {
    let simulated_by = evidence.route.simulated_by();
    let moved = live(current, now).filter(|item| may_move(item, simulated_by));
    let Some(mut item) = moved else {
        return Decision::refuse(VerifyOutcome::Refused {
            refusal: VerifyRefusal::Unknown,
            missed: None,
        });
    };
    match &item.state {
        State::Verified(verified) if verified.text == evidence.text => {
            let delivery = verified.delivery.as_ref();
            let first = delivery.is_some_and(|delivery| delivery.attempts_claimed == 0);
            let pointer = item.pointer().filter(|_| first);
            let app = item.app.clone();
            return Decision::refuse(VerifyOutcome::Repeated { pointer, app });
        }
        State::Verified(_) => return already_used(item, &evidence.from, now),
        State::Cancelled { .. } => {
            return Decision::refuse(VerifyOutcome::refused(&item, VerifyRefusal::Cancelled));
        }
        State::Open { .. } if now >= item.expires_at => {
            return missed(&item, VerifyRefusal::Expired, MissReason::Late, now);
        }
        State::Open { .. } => {}
    }
    if let InboundRoute::WhatsApp(number) = &evidence.route
        && item.whatsapp.as_ref() != Some(number)
    {
        let wrong_recipient = MissReason::WrongRecipient;
        return missed(&item, VerifyRefusal::WrongRecipient, wrong_recipient, now);
    }
    if let Flow::Confirmation { expected } = &item.flow
        && expected.present() != Some(&evidence.from)
    {
        let wrong_sender = MissReason::WrongSender;
        return missed(&item, VerifyRefusal::WrongSender, wrong_sender, now);
    }
    if item.refused_types.refuse(&evidence.from) {
        let refused = MissReason::NumberTypeRefused;
        return missed(&item, VerifyRefusal::NumberTypeRefused, refused, now);
    }
    let delivery = item.callback.as_ref().map(|_| Delivery::pending(now));
    let page = item.client.as_ref().filter(|_| delivery.is_none());
    let watcher = page.and_then(|page| page.watcher.clone());
    item.state = State::Verified(Box::new(Verified {
        phone_number: Redactable::Present(evidence.from.clone()),
        carrier: Carrier::reported(evidence.carrier.clone()),
        at: now,
        text: evidence.text,
        origin: Some(TextOrigin {
            channel: evidence.route.channel(),
            provider: evidence.provider.clone(),
        }),
        second_sender: None,
        delivery,
    }));
    item.purge_at = item
        .purge_at
        .max(now.plus(MAX_RETRY_WINDOW).plus(retention));
    let (pointer, app) = (item.pointer(), item.app.clone());
    Decision {
        outcome: VerifyOutcome::Verified {
            pointer,
            watcher,
            app,
        },
        write: Some(item),
    }
}

/// Records the sender of a text with a used code if it is the first one with a different number.
fn already_used(
    mut item: Confirmation,
    from: &PhoneNumber,
    now: Timestamp,
) -> Decision<Confirmation, VerifyOutcome> {
    let used = VerifyOutcome::refused(&item, VerifyRefusal::AlreadyUsed);
    let State::Verified(verified) = &mut item.state else {
        return Decision::refuse(used);
    };
    let first = verified.phone_number.present();
    if verified.second_sender.is_some() || first.is_none_or(|first| first == from) {
        return Decision::refuse(used);
    }
    verified.second_sender = Some(SecondSender {
        phone_number: from.clone(),
        at: now,
    });
    Decision {
        outcome: used,
        write: Some(item),
    }
}

fn missed(
    item: &Confirmation,
    refusal: VerifyRefusal,
    reason: MissReason,
    now: Timestamp,
) -> Decision<Confirmation, VerifyOutcome> {
    let write = with_miss(item.clone(), LastMiss::new(reason, now));
    let missed = Some(MissedConfirmation::recorded(item, write.as_ref()));
    Decision {
        outcome: VerifyOutcome::Refused { refusal, missed },
        write,
    }
}

/// Records a text that could not complete any confirmation because of its sender or its recipient.
/// The miss is recorded as late if the confirmation has expired. Writes nothing if the confirmation
/// already has a miss, or was redacted, verified or cancelled.
///
/// `simulated_by` is the app whose test key sent the text in place of a phone, if any. The outcome is
/// the confirmation that has the code, if any.
#[must_use]
pub fn record_miss(
    current: Option<Confirmation>,
    unusable: UnusableText,
    simulated_by: Option<&AppId>,
    now: Timestamp,
) -> Decision<Confirmation, Option<MissedConfirmation>> {
    let Some(item) = live(current, now).filter(|item| may_move(item, simulated_by)) else {
        return Decision::refuse(None);
    };
    let late = now >= item.expires_at;
    let reason = if late {
        MissReason::Late
    } else {
        unusable.reason()
    };
    let write = with_miss(item.clone(), LastMiss::new(reason, now));
    Decision {
        outcome: Some(MissedConfirmation::recorded(&item, write.as_ref())),
        write,
    }
}

/// Returns the item with its first miss, or `None` if the item must not change. `purge_at` does not
/// change, so strangers cannot extend the item's life.
fn with_miss(mut item: Confirmation, miss: LastMiss) -> Option<Confirmation> {
    match &mut item.state {
        State::Open { last_miss } if last_miss.is_none() && item.redacted_at.is_none() => {
            *last_miss = Some(miss);
            Some(item)
        }
        State::Open { .. } | State::Cancelled { .. } | State::Verified(_) => None,
    }
}
