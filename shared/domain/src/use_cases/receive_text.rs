//! Receiving an inbound text.

use std::time::Duration;

use super::{Ports, Times, wake_dispatcher};
use crate::app::InboundProfile;
use crate::app::code::{Code, NoCode};
use crate::app::whatsapp::WhatsAppNumber;
use crate::confirmation::TextFingerprint;
use crate::confirmation::miss::UnusableText;
use crate::confirmation::text::{Channel, InboundMessage};
use crate::confirmation::transitions::{
    InboundRoute, MissedConfirmation, TextEvidence, VerifyOutcome, record_miss, verify,
};
use crate::event::{Event, Labels, LoginEvent, Miss};
use crate::primitives::ids::{AppId, ConfirmationId};
use crate::primitives::phone::PhoneNumber;
use crate::primitives::push::Push;
use crate::primitives::unavailable::Unavailable;
use crate::primitives::watcher::WatcherId;

/// The result of an inbound text. Providers always get a 2xx answer: they cannot fix a text that
/// completes no confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOutcome {
    /// The text completed this confirmation.
    Verified(ConfirmationId),
    /// The text had already completed this confirmation.
    Repeated(ConfirmationId),
    /// The text completed no confirmation.
    Missed(Miss),
}

impl TextOutcome {
    /// Returns the event to count and log.
    #[must_use]
    pub const fn event(self) -> Event {
        match self {
            Self::Verified(_) => Event::Verified,
            Self::Repeated(_) => Event::TextRepeated,
            Self::Missed(miss) => Event::TextMissed(miss),
        }
    }

    /// Returns the confirmation that the text completed, if any.
    #[must_use]
    pub const fn confirmation(self) -> Option<ConfirmationId> {
        match self {
            Self::Verified(id) | Self::Repeated(id) => Some(id),
            Self::Missed(_) => None,
        }
    }
}

/// Processes an authenticated text, with at most one successful write and one enqueued pointer.
///
/// A single write completes the confirmation and makes its webhook pending. If the queue is
/// unavailable, the sweep finds the delivery, so this is not an error.
///
/// A text that has a confirmation's code but cannot complete it is recorded there if it is the first one
/// ([`LastMiss`](crate::confirmation::miss::LastMiss)), and `pages` notifies the confirmation's page. Any
/// other text causes no write.
///
/// Also returns the sender's number, if the text has one.
///
/// # Errors
///
/// Fails if a store is unavailable; the provider must then deliver the text again.
pub async fn receive_text(
    ports: Ports<'_>,
    pages: Option<&dyn Push>,
    times: Times,
    message: &InboundMessage,
) -> Result<(TextOutcome, Option<PhoneNumber>), Unavailable> {
    let sender = message.sender();
    let received = complete(ports, pages, times, message, &sender, None).await?;
    Ok((received, sender.ok()))
}

/// Processes a text that an app's server simulates with a test key. It can change only confirmations that the app's
/// test keys started, and is not counted.
///
/// # Errors
///
/// Fails if a store is unavailable.
pub async fn receive_simulated(
    ports: Ports<'_>,
    pages: Option<&dyn Push>,
    times: Times,
    app: &AppId,
    message: &InboundMessage,
) -> Result<TextOutcome, Unavailable> {
    let (ports, sender) = (ports.uncounted_if(true), message.sender());
    complete(ports, pages, times, message, &sender, Some(app)).await
}

/// The sender of a text, or the reason why it has none.
type Sender = Result<PhoneNumber, UnusableText>;

async fn complete(
    ports: Ports<'_>,
    pages: Option<&dyn Push>,
    times: Times,
    message: &InboundMessage,
    sender: &Sender,
    simulated_by: Option<&AppId>,
) -> Result<TextOutcome, Unavailable> {
    let country = sender.as_ref().ok().and_then(PhoneNumber::country);
    let count = |event: &Event, app: Option<&AppId>| {
        let labels = Labels {
            app,
            country,
            provider: Some(message.provider),
        };
        ports.metrics.count(event, labels);
    };
    let notify = async |watcher: Option<&WatcherId>, app: Option<&AppId>| {
        // Pages also poll, so a failure is only counted.
        if let (Some(pages), Some(watcher)) = (pages, watcher)
            && pages.notify(watcher).await.is_err()
        {
            count(&Event::Login(LoginEvent::PushFailed), app);
        }
    };
    let missed = async |miss, missed: Option<MissedConfirmation>| {
        let app = missed.as_ref().map(|missed| &missed.app);
        count(&Event::TextMissed(miss), app);
        let watcher = missed.as_ref().and_then(|missed| missed.watcher.as_ref());
        notify(watcher, app).await;
        Ok(TextOutcome::Missed(miss))
    };
    let known = ports.store.known_profile();
    let (code, parties) = match known.map(|profile| read(message, sender, &profile)) {
        // A profile only grows: entries in an older one are still valid, and missing entries may be
        // new.
        Some((Ok(code), Ok(parties))) => (Ok(code), Ok(parties)),
        _ => read(message, sender, &*ports.store.inbound_profile().await?),
    };
    let (from, route) = match parties {
        Ok(parties) => parties,
        Err(unusable) => {
            let confirmation = match &code {
                Ok(code) => {
                    let (id, now) = (code.confirmation_id(), ports.clock.now());
                    let decide = |current| record_miss(current, unusable, simulated_by, now);
                    ports.store.change(id, decide).await?
                }
                Err(none) if unusable == UnusableText::NumberHidden => {
                    return missed(Miss::Code(*none), None).await;
                }
                Err(_) => None,
            };
            let miss = match unusable {
                UnusableText::Sender => Miss::Sender,
                UnusableText::NumberHidden => Miss::NumberHidden,
                UnusableText::Recipient => Miss::Recipient,
            };
            return missed(miss, confirmation).await;
        }
    };
    let code = match code {
        Ok(code) => code,
        Err(none) => return missed(Miss::Code(none), None).await,
    };
    let id = code.confirmation_id();
    let evidence = TextEvidence {
        from,
        route: simulated_by.map_or(route, |app| InboundRoute::Simulated(app.clone())),
        carrier: message.carrier(),
        text: TextFingerprint::new(message.provider, &message.message_id),
        provider: message.provider.to_owned(),
    };
    let now = ports.clock.now();
    let decide = |current| verify(current, &evidence, now, times.retention);
    match ports.store.change(id, decide).await? {
        VerifyOutcome::Verified {
            pointer,
            watcher,
            app,
        } => {
            count(&Event::Verified, Some(&app));
            if let Some(pointer) = pointer {
                wake_dispatcher(ports, pointer, Duration::ZERO).await;
            }
            notify(watcher.as_ref(), Some(&app)).await;
            Ok(TextOutcome::Verified(id))
        }
        VerifyOutcome::Repeated { pointer, app } => {
            count(&Event::TextRepeated, Some(&app));
            if let Some(pointer) = pointer {
                wake_dispatcher(ports, pointer, Duration::ZERO).await;
            }
            Ok(TextOutcome::Repeated(id))
        }
        VerifyOutcome::Refused {
            refusal,
            missed: confirmation,
        } => missed(Miss::Refused(refusal), confirmation).await,
    }
}

/// Returns the text's code, and [its parties](parties).
fn read(
    message: &InboundMessage,
    sender: &Sender,
    profile: &InboundProfile,
) -> (
    Result<Code, NoCode>,
    Result<(PhoneNumber, InboundRoute), UnusableText>,
) {
    let code = Code::find(&message.text, &profile.prefixes);
    (code, parties(message, sender, profile))
}

/// Returns the sender and our number that the text was sent to, unless no text between them can
/// complete a confirmation. For a text on WhatsApp, the confirmation's own number there decides.
fn parties(
    message: &InboundMessage,
    sender: &Sender,
    profile: &InboundProfile,
) -> Result<(PhoneNumber, InboundRoute), UnusableText> {
    let from = sender.clone()?;
    let is_ours = || {
        let mut ours = profile.recipients.iter();
        ours.any(|ours| ours.is_written(&message.to))
    };
    let route = match message.channel {
        Channel::Sms => is_ours().then_some(InboundRoute::Sms),
        Channel::Modem => is_ours().then_some(InboundRoute::Modem),
        Channel::WhatsApp => {
            let number = WhatsAppNumber::parse_recipient(&message.to);
            number.ok().map(InboundRoute::WhatsApp)
        }
        Channel::Other => None,
    };
    Ok((from, route.ok_or(UnusableText::Recipient)?))
}
