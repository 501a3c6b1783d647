//! Making one attempt of a delivery: claim, sign, post, settle.

mod owed;

use std::time::Duration;

use sha2::{Digest, Sha256};

use super::{Times, wake_dispatcher};
use crate::confirmation::store::ConfirmationStore;
use crate::delivery::queue::{DeliveryQueue, MAX_QUEUE_DELAY};
use crate::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use crate::delivery::signing::{Signature, Signer};
use crate::delivery::{
    Attempt, AttemptResult, Delivery, DeliveryPointer, DeliverySubject, FailureReason, Jitter,
    KeptSignature, SWEEP_LEASE, SettleOutcome, SettledAttempt, Settlement, delay_before,
};
use crate::event::{Event, Metrics};
use crate::login::store::LoginStore;
use crate::primitives::entropy::Entropy;
use crate::primitives::time::{Clock, Timestamp};
use crate::primitives::unavailable::Unavailable;

use owed::Owed;

/// What delivering needs.
#[derive(Clone, Copy)]
pub struct Ports<'a> {
    /// Where the deliveries of confirmations are kept.
    pub store: &'a dyn ConfirmationStore,
    /// Where those of logins are kept.
    pub logins: &'a dyn LoginStore,
    /// What wakes us for the next attempt.
    pub queue: &'a dyn DeliveryQueue,
    /// Where signatures come from.
    pub signer: &'a dyn Signer,
    /// What posts.
    pub sender: &'a dyn WebhookSender,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Chance, for jitter.
    pub entropy: &'a dyn Entropy,
    /// What is counted.
    pub metrics: &'a dyn Metrics,
}

/// What became of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An attempt was made.
    Attempted {
        /// What the webhook tells of.
        subject: DeliverySubject,
        /// 1 for the first.
        number: u32,
        /// How it ended.
        result: AttemptResult,
        /// When the next one follows, if one does.
        next_attempt_at: Option<Timestamp>,
    },
    /// There was nothing to do: another made the attempt, or it is no longer owed.
    Stale,
}

/// Makes the attempt that a pointer names, if it is still to be made.
///
/// An error is ours: it is to be logged, and needs no repair. Where it struck before the attempt
/// was settled, the sweep comes back to the delivery.
///
/// # Errors
/// Fails if the store does. Whatever becomes of the attempt is no error.
pub async fn deliver(
    ports: Ports<'_>,
    times: Times,
    pointer: DeliveryPointer,
) -> Result<Outcome, Unavailable> {
    let began = ports.clock.now();
    let Some(owed) = owed::claim(ports, pointer, began).await? else {
        return Ok(Outcome::Stale);
    };
    let delivery = &owed.delivery;
    let (exchange, trouble) = exchange(ports, &owed, began).await;
    let ended = ports.clock.now();
    let number = delivery.attempts_claimed;
    let settlement = settlement(
        ports.entropy,
        delivery,
        exchange.result,
        exchange.retry_after,
        ended,
    );
    let attempt = Attempt {
        number,
        at: began,
        duration: ended.since(began),
        result: exchange.result,
    };
    let settled = SettledAttempt {
        attempt,
        signature: exchange.signature,
        settlement,
    };
    ports.metrics.count(&Event::Attempted {
        result: exchange.result,
        since_verified: owed
            .verified_at
            .filter(|_| number == 1)
            .map(|at| ended.since(at)),
    });
    let outcome = owed::settle(ports, times, pointer.subject, settled, ended).await?;
    let next_attempt_at = match settlement {
        Settlement::Retry { at, .. } => Some(at),
        Settlement::Delivered => None,
        Settlement::Failed => {
            ports.metrics.count(&Event::DeliveryFailed);
            None
        }
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
            wake_dispatcher(ports.queue, ports.metrics, next, wait).await;
        }
    }
    match trouble {
        Some(cause) => Err(cause),
        None => Ok(Outcome::Attempted {
            subject: pointer.subject,
            number,
            result: exchange.result,
            next_attempt_at,
        }),
    }
}

/// What came of signing and posting.
struct Exchange {
    result: AttemptResult,
    retry_after: Option<Duration>,
    signature: Option<KeptSignature>,
}

/// Signs and posts. What we could not do ourselves is an attempt that failed by our fault, with
/// its cause beside it.
async fn exchange(
    ports: Ports<'_>,
    owed: &Owed,
    now: Timestamp,
) -> (Exchange, Option<Unavailable>) {
    let unsigned = |cause| {
        let result = AttemptResult::NoAnswer(FailureReason::SigningFailed);
        (
            Exchange {
                result,
                retry_after: None,
                signature: None,
            },
            Some(cause),
        )
    };
    let Some(body) = owed.body.clone() else {
        return unsigned(Unavailable::new(
            "webhook body",
            "what it would hold was erased",
        ));
    };
    let signed = match sign(ports.signer, owed.delivery.signature.as_ref(), &body).await {
        Ok(signed) => signed,
        Err(cause) => return unsigned(cause),
    };
    let request = WebhookRequest {
        webhook_id: owed.webhook_id.clone(),
        attempted_at: now,
        signature: Signature {
            der: signed.der.clone(),
            key_id: signed.key_id.clone(),
        },
        body,
    };
    let (result, retry_after) = match ports.sender.send(&owed.callback, &request).await {
        SendOutcome::Answered {
            status,
            retry_after,
        } => (
            AttemptResult::Answered(status),
            retry_after.filter(|_| matches!(status, 429 | 503)),
        ),
        SendOutcome::NoAnswer(reason) => (AttemptResult::NoAnswer(reason), None),
    };
    (
        Exchange {
            result,
            retry_after,
            signature: Some(signed),
        },
        None,
    )
}

/// The kept signature where it still fits body and key, else a new one.
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

/// What follows an attempt with this result.
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
