//! The webhook of a decided login. Its body is a pure function of the item: every attempt signs and sends the same
//! bytes.

use std::time::Duration;

use super::denial::{DenialPayload, DenyReason};
use super::notice::NoticeBody;
use super::payload::Payload;
use super::state::{BlockReason, KEPT, Login, State};
use super::verified::VerifiedUser;
use crate::delivery::transitions::Owes;
use crate::delivery::{
    ClaimedDelivery, Delivery, DeliverySubject, LATENESS, Settlement, TestDelivery, WebhookBody,
};
use crate::primitives::canonical_json::ObjectWriter;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

/// Returns the body of the webhook about a login's decision: the decision, the claimed user, and the
/// phone's payload, unless it is sealed for the browser. `None` if the login was not decided.
///
/// The body that the notice holds comes first: the state that it followed from is gone.
pub(super) fn notice_body(login: &Login) -> Option<NoticeBody> {
    let kept = login.notice.as_ref().and_then(|notice| notice.body.clone());
    kept.or_else(|| body_of_state(login))
}

fn body_of_state(login: &Login) -> Option<NoticeBody> {
    match &login.state {
        State::Confirmed { at, payload, .. } => {
            let readable = Some(payload.payload()).filter(|payload| !payload.is_encrypted());
            let said = readable.map(Payload::as_str);
            Some(confirmed(login, *at, said))
        }
        State::Consumed { confirmed_at, .. } => Some(confirmed(login, *confirmed_at, None)),
        State::Denied { at, payload, .. } => Some(denied(login, *at, payload, None)),
        State::Blocked {
            at,
            reason: BlockReason::KeyMismatch(payload),
            ..
        } => Some(denied(login, *at, payload, Some(DenyReason::KeyMismatch))),
        State::Created { .. }
        | State::Scanned { .. }
        | State::Blocked { .. }
        | State::Cancelled { .. } => None,
    }
}

fn confirmed(login: &Login, at: Timestamp, payload: Option<&str>) -> NoticeBody {
    let body = decided(login, "confirmed", at);
    let body = match payload {
        None => body,
        Some(text) => body.string("payload", text),
    };
    NoticeBody::from_text(body.finish().into_string())
}

fn denied(
    login: &Login,
    at: Timestamp,
    payload: &DenialPayload,
    reason: Option<DenyReason>,
) -> NoticeBody {
    let body = decided(login, "denied", at).string("payload", payload.as_str());
    let body = match reason {
        None => body,
        Some(reason) => body.string("reason", reason.into_str()),
    };
    NoticeBody::from_text(body.finish().into_string())
}

fn decided(login: &Login, result: &str, at: Timestamp) -> ObjectWriter {
    let body = ObjectWriter::new()
        .string("event", &format!("login.{result}"))
        .string("sessionId", &login.id.to_string())
        .string("result", result)
        .string("timestamp", &at.to_string());
    let body = if login.test {
        body.boolean("test", true)
    } else {
        body
    };
    let body = match login.phone().and_then(|phone| phone.user.as_ref()) {
        None => body,
        Some(user) => body.string("claimedPublicUserId", user.as_str()),
    };
    match login.verified_user() {
        None => body,
        Some(VerifiedUser { user, pay }) => body
            .string("verifiedPublicUserId", user.as_str())
            .string("pay", &pay.to_string()),
    }
}

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
            app: self.app.clone(),
            webhook_id: self.webhook_id(),
            callback: self.callback.clone()?,
            body: notice_body(self).map(|body| WebhookBody::new(body.as_str())),
            delivery: notice.delivery.clone(),
            verified_at: None,
            country: None,
            provider: None,
            undecided_carrier: None,
            watcher: None,
            test: self.test.then_some(TestDelivery::Sent),
        })
    }

    /// The notice leaves the item once no attempt follows, and the item is then kept no longer than
    /// any other login.
    fn settled(&mut self, settlement: Settlement, now: Timestamp, _: Duration) {
        match settlement {
            Settlement::Retry { at, .. } | Settlement::Again { at, .. } => {
                self.purge_at = self.purge_at.max(at.plus(LATENESS));
            }
            Settlement::Delivered | Settlement::Failed => {
                self.notice = None;
                self.purge_at = self.expires_at().max(now).plus(KEPT);
            }
        }
    }
}
