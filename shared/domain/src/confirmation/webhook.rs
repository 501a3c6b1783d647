//! The webhook of a verified confirmation. Its body is a pure function of the item: every attempt signs and sends the same
//! bytes.

mod body;

use std::time::Duration;

use super::simulation::{PROVIDER, Simulation};
use super::{Confirmation, Flow, Redactable, State, TextChannel, Verified};
use crate::app::App;
use crate::delivery::transitions::HasDelivery;
use crate::delivery::{
    ClaimedDelivery, Delivery, DeliverySubject, MAX_LATENESS, Settlement, TestDelivery, WebhookBody,
};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::ids::{AppId, ConfirmationId};
use crate::primitives::phone::{NumberType, PhoneNumber};
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

pub use body::ConfirmationBody;

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
    let details = confirmation.webhook_details;
    let origin = verified.origin.as_ref().filter(|_| details);
    let number_type = phone_number.number_type().filter(|_| details);
    Some(CanonicalObject::from_body(&ConfirmationBody {
        confirmation_id: confirmation.id.to_string(),
        phone_number: phone_number.as_str(),
        carrier: verified.carrier.name(),
        validation_status: VALIDATION_STATUS,
        metadata: metadata.clone(),
        timestamp: verified.at.to_string(),
        test: confirmation.test,
        channel: origin.map(|origin| origin.channel),
        provider: origin.map(|origin| &*origin.provider),
        number_type,
    }))
}

/// Returns the body of an app's test webhook. The body has the same members, with a confirmation id
/// that does not exist, so receivers that accept only ids they stored refuse it.
#[must_use]
pub fn test_webhook_body(app: &App, metadata: CanonicalObject, now: Timestamp) -> CanonicalObject {
    let details = app.webhook_details;
    CanonicalObject::from_body(&ConfirmationBody {
        confirmation_id: ConfirmationId::from_bytes([0; 16]).to_string(),
        phone_number: "+12025550100",
        carrier: "",
        validation_status: VALIDATION_STATUS,
        metadata,
        timestamp: now.to_string(),
        test: false,
        channel: details.then_some(TextChannel::Simulated),
        provider: details.then_some(PROVIDER),
        number_type: details.then_some(NumberType::FixedLineOrMobile),
    })
}

impl HasDelivery for Confirmation {
    fn subject(&self) -> DeliverySubject {
        self.id.into()
    }

    fn app(&self) -> &AppId {
        &self.app
    }

    fn callback(&self) -> Option<&CallbackUrl> {
        self.callback.as_ref()
    }

    fn purge_at(&self) -> Timestamp {
        self.purge_at
    }

    fn delivery(&self) -> Option<&Delivery> {
        self.verified()?.delivery.as_ref()
    }

    fn delivery_mut(&mut self) -> Option<&mut Delivery> {
        match &mut self.state {
            State::Verified(verified) => verified.delivery.as_mut(),
            State::Open { .. } | State::Cancelled { .. } => None,
        }
    }

    fn claimed(&self) -> Option<ClaimedDelivery> {
        let verified = self.verified()?;
        Some(ClaimedDelivery {
            app: self.app.clone(),
            webhook_id: self.webhook_id(),
            callback: self.callback.clone()?,
            body: webhook_body(self).map(|body| WebhookBody::new(body.into_string())),
            delivery: verified.delivery.clone()?,
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

    /// The item keeps its delivery, so that callers can see it. A retry in the far future keeps the
    /// item longer.
    fn settled(&mut self, settlement: Settlement, _: Timestamp, retention: Duration) {
        if let Settlement::Retry { at, .. } | Settlement::Reschedule { at, .. } = settlement {
            self.purge_at = self.purge_at.max(at.plus(MAX_LATENESS).plus(retention));
        }
    }
}

fn test_delivery(flow: &Flow) -> TestDelivery {
    let number = match flow {
        Flow::Acquisition => None,
        Flow::Confirmation { expected } => expected.present(),
    };
    match number.and_then(Simulation::from_number) {
        Some(Simulation::ReceiverDown) => TestDelivery::ReceiverDown,
        _ => TestDelivery::Sent,
    }
}

/// Returns the number whose carrier must be looked up before the attempt, if any.
fn undecided_carrier(verified: &Verified) -> Option<PhoneNumber> {
    let number = verified.phone_number.present();
    number.filter(|_| verified.awaits_carrier()).cloned()
}
