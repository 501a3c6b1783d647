//! Making one attempt of a delivery: claim, sign, post, settle.

mod carrier;

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{Ports, Times, wake_dispatcher};
use crate::app::App;
use crate::confirmation::carrier::CarrierLookup;
use crate::delivery::master_secret::MasterSecrets;
use crate::delivery::queue::MAX_QUEUE_DELAY;
use crate::delivery::receivers::SlowReceivers;
use crate::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender, app_signature};
use crate::delivery::signing::{Signature, Signer};
use crate::delivery::{
    Attempt, AttemptResult, ClaimOutcome, ClaimedDelivery, Delivery, DeliveryPointer,
    DeliverySubject, FailureReason, FaultSide, Jitter, KeptSignature, MAX_FREE_RETRIES, MAX_SKIPS,
    SWEEP_LEASE, SettleOutcome, SettledAttempt, Settlement, TestDelivery, WebhookBody,
    delay_after_our_fault, delay_before, delay_while_down,
};
use crate::event::{Event, Labels, LoginEvent};
use crate::primitives::entropy::Entropy;
use crate::primitives::push::Push;
use crate::primitives::time::Timestamp;
use crate::primitives::unavailable::Unavailable;
use crate::store::Store;
use crate::web::callback_url::CallbackUrl;

/// The ports of [`deliver`], in addition to the common ones of use cases.
#[derive(Clone, Copy)]
pub struct DeliveryPorts<'a> {
    /// Signs bodies.
    pub signer: &'a dyn Signer,
    /// The master secrets from which the apps' secrets are derived.
    pub secrets: &'a MasterSecrets,
    /// Posts webhooks.
    pub sender: &'a dyn WebhookSender,
    /// Looks up carriers that no provider named; `None` if lookups are off.
    pub carriers: Option<&'a dyn CarrierLookup>,
    /// Notifies pages that wait for a verification; `None` if pages only poll.
    pub push: Option<&'a dyn Push>,
    /// The receivers that are down; `None` if another component keeps slow receivers from delaying
    /// others.
    pub receivers: Option<&'a SlowReceivers>,
}

/// The outcome of processing a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An attempt was made.
    Attempted {
        /// The item of the webhook.
        subject: DeliverySubject,
        /// Number of the attempt, from 1.
        number: u32,
        result: AttemptResult,
        /// Time of the next attempt, if any.
        next_attempt_at: Option<Timestamp>,
    },
    /// Another dispatcher has claimed the attempt, it is not due yet, or no webhook is pending.
    Stale,
}

/// Makes the attempt that a pointer identifies, unless it was already made.
///
/// # Errors
/// Fails if a port is unavailable or the webhook cannot be signed. The caller only has to log the
/// error: the delivery stays pending, and the sweep finds it.
pub async fn deliver(
    ports: Ports<'_>,
    sending: DeliveryPorts<'_>,
    times: Times,
    pointer: DeliveryPointer,
) -> Result<Outcome, Unavailable> {
    let began = ports.clock.now();
    let (subject, attempts) = (pointer.subject, pointer.attempts_claimed);
    let mut claimed = match ports.store.claim(subject, attempts, began).await? {
        ClaimOutcome::Claimed(claimed) => claimed,
        ClaimOutcome::Stale => return Ok(Outcome::Stale),
    };
    let began = if let (Some(carriers), DeliverySubject::Confirmation(id)) =
        (sending.carriers, subject)
        && carrier::decide(ports, carriers, id, &mut claimed).await?
    {
        // The time of the lookup must not count against the receiver.
        ports.clock.now()
    } else {
        began
    };
    let delivery = &claimed.delivery;
    // Tests are not counted and do not delay others.
    let ports = ports.uncounted_if(claimed.test.is_some());
    let receivers = sending.receivers.filter(|_| claimed.test.is_none());
    let (exchange, trouble) = if claimed.test == Some(TestDelivery::ReceiverDown) {
        (Exchange::NOT_CONNECTED, None)
    } else if receivers.is_none_or(|receivers| receivers.admit(pointer.group, began)) {
        exchange(ports.store, sending, subject, &claimed, began).await
    } else {
        (Exchange::SKIPPED, None)
    };
    let ended = ports.clock.now();
    notify_page(ports, sending, &claimed).await;
    if let Some(receivers) = receivers
        && exchange.signature.is_some()
    {
        let succeeded = exchange.result.is_success();
        receivers.record(pointer.group, ended.since(began), succeeded, ended);
    }
    let number = delivery.attempts_claimed;
    let rescheduled = reschedule(ports.entropy, &claimed, exchange.result, ended);
    let settlement = rescheduled.unwrap_or_else(|| {
        settlement(
            ports.entropy,
            delivery,
            exchange.result,
            exchange.retry_after,
            ended,
        )
    });
    let attempt = Attempt {
        number,
        at: began,
        duration: ended.since(began),
        result: exchange.result,
    };
    let settled = SettledAttempt {
        attempt,
        signature: exchange.signature,
        refusal: exchange.refusal,
        settlement,
    };
    count_attempt(ports, &claimed, exchange.result, ended);
    let retention = times.retention;
    let settled = ports.store.settle(subject, settled, ended, retention);
    let outcome = settled.await?;
    count_end(ports, &claimed, settlement);
    let next_attempt_at = match settlement {
        Settlement::Retry { at, .. } | Settlement::Reschedule { at, .. } => Some(at),
        Settlement::Delivered | Settlement::Failed => None,
    };
    if let (
        SettleOutcome::Settled {
            pointer: Some(next),
        },
        Some(at),
    ) = (outcome, next_attempt_at)
    {
        let wait = at.since(ports.clock.now());
        if wait <= MAX_QUEUE_DELAY {
            wake_dispatcher(ports, next, wait).await;
        }
    }
    match trouble {
        Some(cause) => Err(cause),
        None => Ok(Outcome::Attempted {
            subject,
            number,
            result: exchange.result,
            next_attempt_at,
        }),
    }
}

/// Notifies the page of a confirmation that its number was verified. The page may query its server immediately,
/// so the webhook is sent first. Pages also poll, so a failure is only counted.
async fn notify_page(ports: Ports<'_>, sending: DeliveryPorts<'_>, claimed: &ClaimedDelivery) {
    let watcher = claimed.watcher.as_ref();
    let first = watcher.filter(|_| claimed.delivery.attempts_claimed == 1);
    if let (Some(push), Some(watcher)) = (sending.push, first)
        && push.notify(watcher).await.is_err()
    {
        let failed = Event::Login(LoginEvent::PushFailed);
        ports.metrics.count(&failed, labels(claimed));
    }
}

/// Returns the labels of a delivery's events.
fn labels(claimed: &ClaimedDelivery) -> Labels<'_> {
    Labels {
        app: Some(&claimed.app),
        country: claimed.country,
        provider: claimed.provider.as_deref(),
    }
}

fn count_attempt(
    ports: Ports<'_>,
    claimed: &ClaimedDelivery,
    result: AttemptResult,
    ended: Timestamp,
) {
    let is_first = claimed.delivery.attempts_claimed == 1;
    let verified_at = claimed.verified_at.filter(|_| is_first);
    let attempted = Event::Attempted {
        result,
        since_verified: verified_at.map(|at| ended.since(at)),
    };
    ports.metrics.count(&attempted, labels(claimed));
}

/// Counts a delivery that has ended.
fn count_end(ports: Ports<'_>, claimed: &ClaimedDelivery, settlement: Settlement) {
    let mut earlier = claimed.delivery.attempts.iter();
    match settlement {
        // A text caused the webhook, and this is not a redelivery.
        Settlement::Delivered
            if claimed.verified_at.is_some()
                && !earlier.any(|attempt| attempt.result.is_success()) =>
        {
            ports.metrics.count(&Event::Delivered, labels(claimed));
        }
        Settlement::Failed => ports.metrics.count(&Event::DeliveryFailed, labels(claimed)),
        Settlement::Delivered | Settlement::Retry { .. } | Settlement::Reschedule { .. } => {}
    }
}

/// The result of signing and posting.
struct Exchange {
    result: AttemptResult,
    retry_after: Option<Duration>,
    signature: Option<KeptSignature>,
    /// The beginning of the answer with which the receiver refused the webhook.
    refusal: Option<String>,
}

impl Exchange {
    /// Nothing was sent because a test simulates an unreachable receiver.
    const NOT_CONNECTED: Self = Self {
        result: AttemptResult::NoAnswer(FailureReason::ConnectFailed),
        ..Self::SKIPPED
    };

    /// Nothing was sent because the app no longer allows it.
    const NOT_ALLOWED: Self = Self {
        result: AttemptResult::NoAnswer(FailureReason::AddressRefused),
        ..Self::SKIPPED
    };

    /// Nothing was sent because the receiver is down.
    const SKIPPED: Self = Self {
        result: AttemptResult::NoAnswer(FailureReason::ReceiverDown),
        retry_after: None,
        signature: None,
        refusal: None,
    };
}

/// Signs and posts the webhook. A failure on our side makes the attempt fail without blaming the
/// receiver, and its cause is returned too.
async fn exchange(
    store: &Store,
    sending: DeliveryPorts<'_>,
    subject: DeliverySubject,
    claimed: &ClaimedDelivery,
    now: Timestamp,
) -> (Exchange, Option<Unavailable>) {
    let unsigned = |cause| {
        let result = AttemptResult::NoAnswer(FailureReason::SigningFailed);
        (
            Exchange {
                result,
                retry_after: None,
                signature: None,
                refusal: None,
            },
            Some(cause),
        )
    };
    let Some(body) = claimed.body.clone().map(WebhookBody::into_text) else {
        return unsigned(Unavailable::new("webhook body", "its data was erased"));
    };
    let app = match store.lookup_app(&claimed.app).await {
        Ok(app) => app,
        Err(cause) => return unsigned(cause),
    };
    if app
        .as_deref()
        .is_some_and(|app| !may_send(app, subject, &claimed.callback))
    {
        return (Exchange::NOT_ALLOWED, None);
    }
    let kept = claimed.delivery.signature.as_ref();
    let signed = match sign(sending.signer, kept, &body).await {
        Ok(signed) => signed,
        Err(cause) => return unsigned(cause),
    };
    let id = &claimed.webhook_id;
    let request = WebhookRequest {
        webhook_id: id.clone(),
        attempted_at: now,
        app_signature: app.map(|app| app_signature(sending.secrets, &app, id, now, &body)),
        signature: Signature {
            der: signed.der.clone(),
            key_id: signed.key_id.clone(),
        },
        body,
    };
    let (result, retry_after, beginning) =
        match sending.sender.send(&claimed.callback, &request).await {
            SendOutcome::Answered {
                status,
                retry_after,
                beginning,
            } => (
                AttemptResult::Answered(status),
                retry_after.filter(|_| matches!(status, 429 | 503)),
                beginning,
            ),
            SendOutcome::NoAnswer(reason) => (AttemptResult::NoAnswer(reason), None, String::new()),
        };
    (
        Exchange {
            result,
            retry_after,
            signature: Some(signed),
            refusal: Some(beginning).filter(|text| !text.is_empty() && !result.is_success()),
        },
        None,
    )
}

/// Returns whether the app's current settings allow a webhook, even if it was started under different ones: its
/// origin must be allowed and, if it is about a login or a phone, the app must still want such webhooks.
fn may_send(app: &App, subject: DeliverySubject, callback: &CallbackUrl) -> bool {
    let is_wanted = match subject {
        DeliverySubject::Confirmation(_) => true,
        DeliverySubject::Login(_) | DeliverySubject::PhoneRegistration(_) => {
            app.login.callback.is_some()
        }
    };
    is_wanted && app.allows_callback(callback)
}

/// Returns the kept signature if it is for the current body and key, otherwise a new one.
async fn sign(
    signer: &dyn Signer,
    kept: Option<&KeptSignature>,
    body: &str,
) -> Result<KeptSignature, Unavailable> {
    let body_hash: [u8; 32] = Sha256::digest(body.as_bytes()).into();
    if let Some(kept) = kept.filter(|kept| kept.body_hash == body_hash) {
        let current = signer
            .public_keys()
            .await?
            .first()
            .map(crate::delivery::signing::PublicKey::key_id);
        if current.as_ref() == Some(&kept.key_id) {
            return Ok(kept.clone());
        }
    }
    let Signature { der, key_id } = signer.sign(&body_hash).await?;
    Ok(KeptSignature {
        body_hash,
        key_id,
        der,
    })
}

/// Returns the time of the next attempt if this one uses no step of the schedule: it failed because of an
/// error on our side, or was skipped because the receiver is down.
fn reschedule(
    entropy: &dyn Entropy,
    claimed: &ClaimedDelivery,
    result: AttemptResult,
    now: Timestamp,
) -> Option<Settlement> {
    let delivery = &claimed.delivery;
    let in_a_row = |same: fn(AttemptResult) -> bool| {
        let before = delivery.attempts.iter().rev();
        before.take_while(|attempt| same(attempt.result)).count() + 1
    };
    let is_ours = |result: AttemptResult| result.fault() == Some(FaultSide::Ours);
    let is_left_out = |result| result == Exchange::SKIPPED.result;
    // If the data was erased, no retry could sign anything.
    let wait = if is_ours(result) && claimed.body.is_some() {
        delay_after_our_fault(in_a_row(is_ours), Jitter::draw(entropy))
    } else if is_left_out(result) {
        let nth = in_a_row(is_left_out);
        if nth > MAX_SKIPS {
            return None;
        }
        delay_while_down(nth, Jitter::draw(entropy))
    } else {
        return None;
    };
    let at = now.plus(wait);
    let due_at = at.plus(SWEEP_LEASE);
    (delivery.attempts_claimed < MAX_FREE_RETRIES).then_some(Settlement::Reschedule { at, due_at })
}

/// Decides the settlement of an attempt with this result.
fn settlement(
    entropy: &dyn Entropy,
    delivery: &Delivery,
    result: AttemptResult,
    retry_after: Option<Duration>,
    now: Timestamp,
) -> Settlement {
    if result.is_success() {
        return Settlement::Delivered;
    }
    if result.is_final() {
        return Settlement::Failed;
    }
    let made = delivery
        .attempts_claimed
        .saturating_sub(delivery.round_began_at);
    match delay_before(made, retry_after, Jitter::draw(entropy)) {
        None => Settlement::Failed,
        Some(wait) => {
            let at = now.plus(wait);
            let due_at = if wait <= MAX_QUEUE_DELAY {
                at.plus(SWEEP_LEASE)
            } else {
                at
            };
            Settlement::Retry { at, due_at }
        }
    }
}
