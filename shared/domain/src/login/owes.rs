//! The webhook of a decided login.

use std::time::Duration;

use super::notice_body::notice_body;
use super::{KEPT, Login};
use crate::delivery::transitions::Owes;
use crate::delivery::{
    ClaimedDelivery, Delivery, DeliverySubject, LATENESS, Settlement, WebhookBody,
};
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

impl Owes for Login {
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
        self.notice.as_ref().map(|notice| &notice.delivery)
    }

    fn delivery_mut(&mut self) -> Option<&mut Delivery> {
        self.notice.as_mut().map(|notice| &mut notice.delivery)
    }

    fn claimed(&self) -> Option<ClaimedDelivery> {
        let notice = self.notice.as_ref()?;
        Some(ClaimedDelivery {
            webhook_id: self.webhook_id(),
            callback: self.callback.clone()?,
            body: notice_body(self).map(|body| WebhookBody::new(body.as_str())),
            delivery: notice.delivery.clone(),
            verified_at: None,
            undecided_carrier: None,
        })
    }

    /// The notice leaves the item once no attempt follows, and the item is then kept no longer than
    /// any other login.
    fn settled(&mut self, settlement: Settlement, now: Timestamp, _: Duration) {
        match settlement {
            Settlement::Retry { at, .. } => {
                self.purge_at = self.purge_at.max(at.plus(LATENESS));
            }
            Settlement::Delivered | Settlement::Failed => {
                self.notice = None;
                self.purge_at = self.expires_at().max(now).plus(KEPT);
            }
        }
    }
}
