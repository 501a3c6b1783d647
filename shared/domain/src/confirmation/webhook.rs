//! The webhook of a verified confirmation. Its body is a pure function of the item: every attempt signs and sends the same
//! bytes.

use std::time::Duration;

use super::simulation::{PROVIDER, Simulation};
use super::{Confirmation, Flow, Redactable, State, TextChannel, TextOrigin, Verified};
use crate::app::App;
use crate::delivery::transitions::Owes;
use crate::delivery::{
    ClaimedDelivery, Delivery, DeliverySubject, LATENESS, Settlement, TestDelivery, WebhookBody,
};
use crate::primitives::canonical_json::{CanonicalObject, ObjectWriter};
use crate::primitives::ids::AppId;
use crate::primitives::phone::{NumberType, PhoneNumber};
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

/// The only value of `validationStatus` (phone number API, section 2).
pub const VALIDATION_STATUS: &str = "valid";

/// Returns the body of a verified confirmation's webhook, or `None` if the number is not verified
/// or its data was erased.
#[must_use]
pub fn webhook_body(confirmation: &Confirmation) -> Option<CanonicalObject> {
    let verified = confirmation.verified()?;
    let (Redactable::Present(phone_number), Redactable::Present(metadata)) =
        (&verified.phone_number, &confirmation.metadata)
    else {
        return None;
    };
    let mut body = fields(
        &confirmation.id.to_string(),
        phone_number.as_str(),
        verified.carrier.name(),
        metadata,
        verified.at,
    );
    if confirmation.test {
        body = body.boolean("test", true);
    }
    if confirmation.webhook_details {
        body = details(body, verified.origin.as_ref(), phone_number.number_type());
    }
    Some(body.finish())
}

/// Adds what apps can choose to be told, beyond the specification.
fn details(
    mut body: ObjectWriter,
    origin: Option<&TextOrigin>,
    number_type: Option<NumberType>,
) -> ObjectWriter {
    if let Some(TextOrigin { channel, provider }) = origin {
        body = body.string("channel", channel.into_str());
        body = body.string("provider", provider);
    }
    match number_type {
        Some(number_type) => body.string("numberType", number_type.into_str()),
        None => body,
    }
}

/// Returns the body of an app's test webhook. It has the same members, and the id of no real
/// confirmation, so that receivers that only accept ids they stored refuse it.
#[must_use]
pub fn test_webhook_body(app: &App, metadata: &CanonicalObject, now: Timestamp) -> CanonicalObject {
    let id = crate::primitives::ids::ConfirmationId::from_bytes([0; 16]);
    let body = fields(&id.to_string(), "+12025550100", "", metadata, now);
    if !app.webhook_details {
        return body.finish();
    }
    let simulated = TextOrigin {
        channel: TextChannel::Simulated,
        provider: PROVIDER.to_owned(),
    };
    let number_type = NumberType::FixedLineOrMobile;
    details(body, Some(&simulated), Some(number_type)).finish()
}

fn fields(
    id: &str,
    phone_number: &str,
    carrier: &str,
    metadata: &CanonicalObject,
    at: Timestamp,
) -> ObjectWriter {
    ObjectWriter::new()
        .string("confirmationId", id)
        .string("phoneNumber", phone_number)
        .string("carrier", carrier)
        .string("validationStatus", VALIDATION_STATUS)
        .object("metadata", metadata)
        .string("timestamp", &at.to_string())
}

impl Owes for Confirmation {
    fn subject(&self) -> DeliverySubject {
        self.id.into()
    }

    fn app(&self) -> &AppId {
        &self.app
    }

    fn callback(&self) -> Option<&CallbackUrl> {
        Some(&self.callback)
    }

    fn purge_at(&self) -> Timestamp {
        self.purge_at
    }

    fn delivery(&self) -> Option<&Delivery> {
        self.verified().map(|verified| &verified.delivery)
    }

    fn delivery_mut(&mut self) -> Option<&mut Delivery> {
        match &mut self.state {
            State::Verified(verified) => Some(&mut verified.delivery),
            State::Open { .. } | State::Cancelled { .. } => None,
        }
    }

    fn claimed(&self) -> Option<ClaimedDelivery> {
        let verified = self.verified()?;
        Some(ClaimedDelivery {
            app: self.app.clone(),
            webhook_id: self.webhook_id(),
            callback: self.callback.clone(),
            body: webhook_body(self).map(|body| WebhookBody::new(body.into_string())),
            delivery: verified.delivery.clone(),
            verified_at: Some(verified.at),
            country: verified
                .phone_number
                .present()
                .and_then(PhoneNumber::country),
            provider: verified.origin.as_ref().map(|via| via.provider.clone()),
            undecided_carrier: undecided_carrier(verified).filter(|_| !self.test),
            watcher: self.client.as_ref().and_then(|page| page.watcher.clone()),
            test: self.test.then(|| test_delivery(&self.flow)),
        })
    }

    /// The delivery stays for callers to see. A retry that is far off keeps the item for longer.
    fn settled(&mut self, settlement: Settlement, _: Timestamp, retention: Duration) {
        if let Settlement::Retry { at, .. } | Settlement::Again { at, .. } = settlement {
            self.purge_at = self.purge_at.max(at.plus(LATENESS).plus(retention));
        }
    }
}

fn test_delivery(flow: &Flow) -> TestDelivery {
    let number = match flow {
        Flow::Acquisition => None,
        Flow::Confirmation { expected } => expected.present(),
    };
    match number.and_then(Simulation::of) {
        Some(Simulation::ReceiverDown) => TestDelivery::ReceiverDown,
        _ => TestDelivery::Sent,
    }
}

/// Returns the number whose carrier may be looked up before the attempt.
fn undecided_carrier(verified: &Verified) -> Option<PhoneNumber> {
    let number = verified.phone_number.present();
    number.filter(|_| verified.awaits_carrier()).cloned()
}
