//! The webhook of a decided login. Its body is a pure function of the item: every attempt signs and sends the same
//! bytes.

mod body;

use std::time::Duration;

use super::denial::DenyReason;
use super::notice::NoticeBody;
use super::payload::Payload;
use super::state::{BlockReason, Login, RETENTION, State};
use super::user::ClaimedUserId;
use crate::delivery::transitions::HasDelivery;
use crate::delivery::{
    ClaimedDelivery, Delivery, DeliverySubject, MAX_LATENESS, Settlement, TestDelivery, WebhookBody,
};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

pub use body::LoginBody;
use body::{LoginEvent, LoginResult};

/// Returns the body of the webhook about a login's decision: the decision, the claimed user and,
/// unless it is sealed for the browser, the phone's payload. `None` if the login was not decided.
///
/// The body that the notice contains takes precedence: the state that it was derived from has
/// changed.
pub(super) fn notice_body(login: &Login) -> Option<NoticeBody> {
    let kept = login.notice.as_ref().and_then(|notice| notice.body.clone());
    kept.or_else(|| body_of_state(login))
}

fn body_of_state(login: &Login) -> Option<NoticeBody> {
    let body = match &login.state {
        State::Confirmed { at, payload, .. } => {
            let readable = Some(payload.payload()).filter(|payload| !payload.is_encrypted());
            LoginBody {
                payload: readable.map(Payload::as_str),
                ..decided(login, LoginResult::Confirmed, *at)
            }
        }
        State::Consumed { confirmed_at, .. } => {
            decided(login, LoginResult::Confirmed, *confirmed_at)
        }
        State::Denied { at, payload, .. } => LoginBody {
            payload: Some(payload.as_str()),
            ..decided(login, LoginResult::Denied, *at)
        },
        State::Blocked {
            at,
            reason: BlockReason::KeyMismatch(payload),
            ..
        } => LoginBody {
            payload: Some(payload.as_str()),
            reason: Some(DenyReason::KeyMismatch),
            ..decided(login, LoginResult::Denied, *at)
        },
        State::Created { .. }
        | State::Scanned { .. }
        | State::Blocked { .. }
        | State::Cancelled { .. } => return None,
    };
    let text = CanonicalObject::from_body(&body).into_string();
    Some(NoticeBody::from_text(text))
}

/// Returns the body of a decision, without payload and reason.
fn decided(login: &Login, result: LoginResult, at: Timestamp) -> LoginBody<'_> {
    let claimed = login.phone().and_then(|phone| phone.user.as_ref());
    let verified = login.verified_user();
    LoginBody {
        event: match result {
            LoginResult::Confirmed => LoginEvent::Confirmed,
            LoginResult::Denied => LoginEvent::Denied,
        },
        session_id: login.id.to_string(),
        result,
        timestamp: at.to_string(),
        claimed_public_user_id: claimed.map(ClaimedUserId::as_str),
        verified_public_user_id: verified.map(|verified| verified.user.as_str()),
        pay: verified.map(|verified| verified.pay.to_string()),
        payload: None,
        test: login.test,
        reason: None,
    }
}

impl HasDelivery for Login {
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

    /// The notice is removed when no attempt follows, and the item is then kept no longer than any
    /// other login.
    fn settled(&mut self, settlement: Settlement, now: Timestamp, _: Duration) {
        match settlement {
            Settlement::Retry { at, .. } | Settlement::Reschedule { at, .. } => {
                self.purge_at = self.purge_at.max(at.plus(MAX_LATENESS));
            }
            Settlement::Delivered | Settlement::Failed => {
                self.notice = None;
                self.purge_at = self.expires_at().max(now).plus(RETENTION);
            }
        }
    }
}
