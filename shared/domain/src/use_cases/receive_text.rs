//! Taking a text that arrived.

use std::time::Duration;

use super::{Times, wake_dispatcher};
use crate::app::code::Code;
use crate::app::store::AppStore;
use crate::confirmation::TextFingerprint;
use crate::confirmation::store::ConfirmationStore;
use crate::confirmation::text::InboundMessage;
use crate::confirmation::transitions::{TextEvidence, VerifyOutcome};
use crate::delivery::queue::DeliveryQueue;
use crate::event::{Event, Metrics, Miss};
use crate::primitives::ids::ConfirmationId;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Clock;
use crate::primitives::unavailable::Unavailable;

/// What taking a text needs.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where sessions are kept.
    pub store: &'a dyn ConfirmationStore,
    /// Which prefixes and numbers are ours.
    pub apps: &'a dyn AppStore,
    /// What wakes the dispatcher.
    pub queue: &'a dyn DeliveryQueue,
    /// Time.
    pub clock: &'a dyn Clock,
    /// What is counted.
    pub metrics: &'a dyn Metrics,
}

/// What became of a text. Providers are answered 2xx in every case: what changes nothing is not
/// theirs to repair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// It completed this session.
    Verified(ConfirmationId),
    /// It had completed its session before.
    Repeated(ConfirmationId),
    /// It changed nothing.
    Missed(Miss),
}

impl Received {
    /// What is counted, and written into logs by its name.
    #[must_use]
    pub const fn event(self) -> Event {
        match self {
            Self::Verified(_) => Event::Verified,
            Self::Repeated(_) => Event::TextRepeated,
            Self::Missed(miss) => Event::TextMissed(miss),
        }
    }

    /// Whose session the text was for, where it found one.
    #[must_use]
    pub const fn confirmation(self) -> Option<ConfirmationId> {
        match self {
            Self::Verified(id) | Self::Repeated(id) => Some(id),
            Self::Missed(_) => None,
        }
    }
}

/// Takes an authenticated text: at most one write and one enqueue.
///
/// The webhook is owed from the write on. Where the queue cannot be reached the sweep finds it, so
/// that is no failure; a store that cannot be reached is one, and the provider must try again.
pub async fn receive_text(
    ports: Ports<'_>,
    times: Times,
    message: &InboundMessage,
) -> Result<Received, Unavailable> {
    let missed = |miss| {
        ports.metrics.count(&Event::TextMissed(miss));
        Ok(Received::Missed(miss))
    };
    let Ok(from) = PhoneNumber::parse_sender(&message.from) else {
        return missed(Miss::Sender);
    };
    let profile = ports.apps.inbound_profile().await?;
    if !profile
        .recipients
        .iter()
        .any(|ours| ours.as_str() == message.to)
    {
        return missed(Miss::Recipient);
    }
    let code = match Code::find(&message.text, &profile.prefixes) {
        Ok(code) => code,
        Err(none) => return missed(Miss::Code(none)),
    };
    let id = code.confirmation_id();
    let evidence = TextEvidence {
        from,
        carrier: message.carrier(),
        text: TextFingerprint::of(message.provider, &message.message_id),
    };
    match ports
        .store
        .verify(id, &evidence, ports.clock.now(), times.retention)
        .await?
    {
        VerifyOutcome::Verified { pointer, app: _ } => {
            ports.metrics.count(&Event::Verified);
            wake_dispatcher(ports.queue, ports.metrics, pointer, Duration::ZERO).await;
            Ok(Received::Verified(id))
        }
        VerifyOutcome::Repeated { pointer } => {
            ports.metrics.count(&Event::TextRepeated);
            if let Some(pointer) = pointer {
                wake_dispatcher(ports.queue, ports.metrics, pointer, Duration::ZERO).await;
            }
            Ok(Received::Repeated(id))
        }
        VerifyOutcome::Refused(refusal) => missed(Miss::Refused(refusal)),
    }
}
