//! The webhook about a phone that was set up. Its body is a pure function of the item.

use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::state::{PhoneRegistration, SetupState};
use crate::delivery::transitions::HasDelivery;
use crate::delivery::{
    ClaimedDelivery, Delivery, DeliverySubject, MAX_LATENESS, Settlement, TestDelivery, WebhookBody,
};
use crate::primitives::canonical_json::CanonicalObject;
use crate::primitives::ids::AppId;
use crate::primitives::time::Timestamp;
use crate::web::callback_url::CallbackUrl;

/// The body of the webhook: canonical JSON, without whitespace and with sorted keys.
#[serde_with::skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PhoneRegisteredWebhookBody)]
pub struct PhoneRegisteredBody<'a> {
    /// The event.
    event: PhoneEvent,
    /// The id of the registration. Accept each only once, and only if you created it.
    #[schema(
        pattern = "^phr_[0-9a-f]{32}$",
        examples("phr_5f0c8a41f2d94e6b7a13c0de9b81d2a4")
    )]
    registration_id: String,
    /// The user whose phone it is.
    #[schema(examples("person@example.com"))]
    public_user_id: &'a str,
    /// The id of the phone's key, as in `GET /association-keys`.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$",
        examples("cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
    )]
    key_id: String,
    /// The kind of the key: `browser` or `passkey`.
    #[schema(examples("passkey"))]
    kind: &'static str,
    /// The phone's name: its browser and system.
    #[schema(required = false, nullable = false, examples("Chrome on Android"))]
    label: Option<String>,
    /// When the key was registered. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:05:01.250Z"))]
    timestamp: String,
    /// `true` if a test key created the registration. Absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    test: bool,
}

/// The event that the webhook reports.
#[derive(Clone, Copy, Serialize, ToSchema)]
enum PhoneEvent {
    #[serde(rename = "phone.registered")]
    Registered,
}

impl PhoneRegistration {
    /// Returns the body of the webhook; `None` if no key is registered.
    fn webhook_body(&self) -> Option<String> {
        let SetupState::Completed {
            phone,
            key,
            kind,
            at,
        } = &self.state
        else {
            return None;
        };
        let body = PhoneRegisteredBody {
            event: PhoneEvent::Registered,
            registration_id: self.id.to_string(),
            public_user_id: self.owner.as_str(),
            key_id: key.to_string(),
            kind: kind.name(),
            label: phone.name().map(|name| name.to_string()),
            timestamp: at.to_string(),
            test: self.test,
        };
        Some(CanonicalObject::from_body(&body).into_string())
    }
}

impl HasDelivery for PhoneRegistration {
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
        self.notice.as_deref()
    }

    fn delivery_mut(&mut self) -> Option<&mut Delivery> {
        self.notice.as_deref_mut()
    }

    fn claimed(&self) -> Option<ClaimedDelivery> {
        Some(ClaimedDelivery {
            app: self.app.clone(),
            webhook_id: self.webhook_id(),
            callback: self.callback.clone()?,
            body: self.webhook_body().map(WebhookBody::new),
            delivery: self.notice.as_deref()?.clone(),
            verified_at: None,
            country: None,
            provider: None,
            undecided_carrier: None,
            watcher: None,
            test: self.test.then_some(TestDelivery::Sent),
        })
    }

    /// The webhook is removed when no attempt follows, and the item is then kept no longer than any other registration.
    fn settled(&mut self, settlement: Settlement, now: Timestamp, _: Duration) {
        match settlement {
            Settlement::Retry { at, .. } | Settlement::Reschedule { at, .. } => {
                self.purge_at = self.purge_at.max(at.plus(MAX_LATENESS));
            }
            Settlement::Delivered | Settlement::Failed => {
                self.notice = None;
                self.purge_at = Self::kept_until(self.created_at).max(now);
            }
        }
    }
}
