//! The webhook of a verified confirmation.

use std::time::Duration;

use super::body::webhook_body;
use super::{Confirmation, State, Verified};
use crate::delivery::transitions::Owes;
use crate::delivery::{
    ClaimedDelivery, Delivery, DeliverySubject, LATENESS, Settlement, WebhookBody,
};
use crate::primitives::ids::AppId;
use crate::primitives::phone::PhoneNumber;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

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
            webhook_id: self.webhook_id(),
            callback: self.callback.clone(),
            body: webhook_body(self).map(|body| WebhookBody::new(body.into_string())),
            delivery: verified.delivery.clone(),
            verified_at: Some(verified.at),
            undecided_carrier: undecided_carrier(verified),
        })
    }

    /// The delivery stays for callers to see. A retry that is far off keeps the item for longer.
    fn settled(&mut self, settlement: Settlement, _: Timestamp, retention: Duration) {
        if let Settlement::Retry { at, .. } = settlement {
            self.purge_at = self.purge_at.max(at.plus(LATENESS).plus(retention));
        }
    }
}

/// Returns the number whose carrier may be looked up before the attempt.
fn undecided_carrier(verified: &Verified) -> Option<PhoneNumber> {
    let number = verified.phone_number.present();
    number.filter(|_| verified.awaits_carrier()).cloned()
}
