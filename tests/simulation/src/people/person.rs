//! Users who text, and the provider that forwards each text at least once, until it is answered 2xx or
//! the provider gives up.

use std::time::Duration;

use countersign_conformance::samples;
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::confirmation::TextFingerprint;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::phone::PhoneNumber;

use super::World;
use crate::oracle::{Text, Told};
use crate::sim::OUTSIDE;

/// The expected number, and another one.
pub(super) const NUMBERS: [&str; 2] = ["+12025550100", LANDLINE];

/// A number of a type that the apps of some runs refuse.
pub const LANDLINE: &str = "+442079460018";

const PROVIDER: &str = "generic";

/// Number of times that a provider tries to forward a text.
const TRIES: u64 = 8;

/// Sends texts of all kinds for one confirmation.
pub(super) fn text(world: &World, told: &Told) {
    let sim = &world.env.sim;
    for copy in 0..sim.draw(|chance| chance.one_of(&[0, 1, 1, 1, 2, 3])) {
        let (from, wait) = sim.draw(|chance| {
            let number = chance.one_of(&[0, 0, 0, 1]);
            let wait = match chance.below(8) {
                // Close to the expiry, with millisecond resolution.
                0 => 299_900 + chance.below(200),
                1 => chance.below(400_000),
                _ => chance.below(60_000),
            };
            (NUMBERS[number], Duration::from_millis(wait))
        });
        let at = told.created_at.plus(wait);
        let kind = sim.draw(|chance| chance.below(26));
        let (message, confirmation) = (message(told, copy, from, kind), told.id);
        let garbled = kind < GARBLED;
        let whatsapp = match message.channel {
            Channel::Sms | Channel::Modem | Channel::Other => None,
            Channel::WhatsApp => WhatsAppNumber::parse_recipient(&message.to).ok(),
        };
        let world = world.clone();
        sim.spawn(OUTSIDE, async move {
            let sim = &world.env.sim;
            sim.pass_until(at).await;
            if let Ok(from) = PhoneNumber::parse_e164(from)
                && !garbled
            {
                let text = Text {
                    confirmation,
                    from,
                    whatsapp: whatsapp.clone(),
                    first_sent_at: sim.now(),
                };
                let fingerprint = TextFingerprint::new(PROVIDER, &message.message_id);
                world
                    .env
                    .oracle
                    .with(|oracle| oracle.text_sent(fingerprint, text));
            }
            // Sometimes two of the provider's machines forward the same text.
            if sim.draw(|chance| chance.once_in(6)) {
                sim.spawn(OUTSIDE, forward(world.clone(), message.clone()));
            }
            sim.spawn(OUTSIDE, forward(world.clone(), message));
        });
    }
}

/// Number of kinds of texts that verify no confirmation.
const GARBLED: u64 = 7;

/// Returns a text for a confirmation. Each kind below [`GARBLED`] is wrong in a different way.
fn message(told: &Told, copy: u64, from: &str, kind: u64) -> InboundMessage {
    let mut message = InboundMessage {
        provider: PROVIDER,
        channel: Channel::Sms,
        message_id: format!("{}-{copy}", told.id),
        from: from.to_owned(),
        to: "+12025550199".to_owned(),
        text: told.message.clone(),
        // Some providers report no carrier, which is then looked up.
        carrier: told.id.as_bytes()[0]
            .is_multiple_of(2)
            .then(|| "Example Mobile".to_owned()),
    };
    match kind {
        0 => "hello?".clone_into(&mut message.text),
        1 => "ACME".clone_into(&mut message.from),
        2 => "+12025550177".clone_into(&mut message.to),
        3 => message.text.push_str(" CS-0000000000000000"),
        4 => "CS-0000000000000000".clone_into(&mut message.text),
        // Users who hide their number.
        5 => "US.13491208655302741918".clone_into(&mut message.from),
        6 => message.channel = Channel::Other,
        // The app's number for SMS, which is not on WhatsApp.
        7 => message.channel = Channel::WhatsApp,
        // The app's number on WhatsApp, if it has one.
        8..=10 => {
            message.channel = Channel::WhatsApp;
            samples::WHATSAPP.clone_into(&mut message.to);
        }
        _ => {}
    }
    message
}

/// Forwards a text until it is accepted.
async fn forward(world: World, message: InboundMessage) {
    let sim = &world.env.sim;
    let fingerprint = TextFingerprint::new(PROVIDER, &message.message_id);
    for tried in 0..TRIES {
        let copy = message.clone();
        let answer = world.api.ask(|handler| handler.receive(copy)).await;
        sim.note(OUTSIDE, "provider: text", || {
            format!("{} {answer:?}", message.message_id)
        });
        if let Some(Ok(_)) = answer {
            let now = sim.now();
            world
                .env
                .oracle
                .with(|oracle| oracle.text_taken(fingerprint, now));
            // Some providers forward it again even so.
            if !sim.draw(|chance| chance.once_in(10)) {
                return;
            }
        }
        sim.pass(Duration::from_secs(1 << tried)).await;
        sim.pass(sim.millis_below(1_000)).await;
    }
}
