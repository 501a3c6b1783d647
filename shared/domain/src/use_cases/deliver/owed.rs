//! What is owed, whatever it tells of: where confirmations and logins differ for the dispatcher.

use std::sync::Arc;

use super::Ports;
use crate::confirmation::Confirmation;
use crate::confirmation::body::webhook_body;
use crate::confirmation::transitions::ClaimOutcome;
use crate::delivery::{Delivery, DeliveryPointer, DeliverySubject, SettleOutcome, SettledAttempt};
use crate::login::Login;
use crate::login::transitions::ClaimNoticeOutcome;
use crate::primitives::ids::WebhookId;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::use_cases::Times;
use crate::web::callback_url::CallbackUrl;

/// A webhook whose attempt was claimed.
pub(super) struct Owed {
    /// Header `webhook-id`.
    pub(super) webhook_id: WebhookId,
    /// Where it goes.
    pub(super) callback: CallbackUrl,
    /// What it says; `None` where that was erased.
    pub(super) body: Option<Arc<str>>,
    /// Its attempts, the claimed one counted.
    pub(super) delivery: Delivery,
    /// When the text was taken that caused it, if one did.
    pub(super) verified_at: Option<Timestamp>,
}

impl Owed {
    fn by_confirmation(item: &Confirmation) -> Option<Self> {
        let verified = item.verified()?;
        Some(Self {
            webhook_id: item.webhook_id(),
            callback: item.callback.clone(),
            body: webhook_body(item).map(|body| body.into_string().into()),
            delivery: verified.delivery.clone(),
            verified_at: Some(verified.at),
        })
    }

    fn by_login(item: &Login) -> Option<Self> {
        let notice = item.notice.as_ref()?;
        Some(Self {
            webhook_id: item.webhook_id(),
            callback: item.callback.clone()?,
            body: Some(notice.body.as_str().into()),
            delivery: notice.delivery.clone(),
            verified_at: None,
        })
    }
}

/// Claims the attempt that a pointer names; `None` where there is nothing to do.
pub(super) async fn claim(
    ports: Ports<'_>,
    pointer: DeliveryPointer,
    now: Timestamp,
) -> Result<Option<Owed>, Unavailable> {
    let attempts = pointer.attempts_claimed;
    Ok(match pointer.subject {
        DeliverySubject::Confirmation(id) => match ports.store.claim(id, attempts, now).await? {
            ClaimOutcome::Claimed(item) => Owed::by_confirmation(&item),
            ClaimOutcome::Stale => None,
        },
        DeliverySubject::Login(id) => match ports.logins.claim_notice(id, attempts, now).await? {
            ClaimNoticeOutcome::Claimed(item) => Owed::by_login(&item),
            ClaimNoticeOutcome::Stale => None,
        },
    })
}

/// Writes down how the claimed attempt ended.
pub(super) async fn settle(
    ports: Ports<'_>,
    times: Times,
    subject: DeliverySubject,
    settled: SettledAttempt,
    now: Timestamp,
) -> Result<SettleOutcome, Unavailable> {
    match subject {
        DeliverySubject::Confirmation(id) => {
            let retention = times.retention;
            ports.store.settle(id, settled, now, retention).await
        }
        DeliverySubject::Login(id) => ports.logins.settle_notice(id, settled, now).await,
    }
}
