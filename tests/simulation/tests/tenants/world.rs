//! A delivering process with its store, tenants and receivers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{DigestSigner, FixedEntropy, TokioClock, Uncounted};
use countersign_conformance::samples;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::TextEvidence;
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::delivery::{
    Delivery, DeliveryKind, DeliveryPointer, FailureReason, TenantLane,
};
use countersign_domain::primitives::ids::{ConfirmationId, WebhookId};
use countersign_domain::primitives::time::Clock;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{DeliveryPorts, Outcome, deliver};
use countersign_domain::use_cases::{Ports, Times, wake_dispatcher};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_embedded::queue::{AttemptEnd, Limits, LocalQueue};
use tokio::time::Instant;

use super::virtual_time::Arrivals;

/// Response time of a healthy receiver.
const ANSWER: Duration = Duration::from_millis(5);
/// Timeout of an attempt to a dead receiver.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The longest waits for webhooks of healthy tenants: with an enqueued pointer (`sent`) and with a lost
/// pointer (`lost`).
#[derive(Debug)]
pub(crate) struct Longest {
    pub(crate) sent: Duration,
    pub(crate) lost: Duration,
}

#[derive(Clone)]
pub(crate) struct World(Arc<Shared>);

struct Shared {
    items: Arc<ModelItems>,
    store: Store,
    queue: LocalQueue,
    sample: Confirmation,
    text: TextEvidence,
    clock: TokioClock,
    dead: AtomicBool,
    arrivals: Arrivals,
}

impl World {
    pub(crate) fn new() -> Self {
        let items = Arc::<ModelItems>::default();
        let began = Instant::now();
        Self(Arc::new(Shared {
            store: Store::new(items.clone(), Arc::new(TokioClock(began))),
            items,
            queue: LocalQueue::new(Limits::default(), Arc::new(TokioClock(began))),
            sample: samples::acquisition(0),
            text: samples::text(0),
            clock: TokioClock(began),
            dead: AtomicBool::new(true),
            arrivals: Arrivals::default(),
        }))
    }

    /// Makes `count` deliveries of a tenant pending, then lets an hour pass. The deliveries go to up to
    /// 50,000 origins. Their pointers are enqueued until the queue is full.
    pub(crate) async fn owe_all(&self, tenant: &str, count: u32) {
        for number in 0..count {
            let item = self.0.owed(tenant, number, number % 50_000);
            self.0.items.put(item.id, item.clone());
            wake_dispatcher(self.0.ports(), item.pointer().unwrap(), Duration::ZERO).await;
        }
        tokio::time::advance(Duration::from_hours(1)).await;
    }

    /// Starts the dispatcher.
    pub(crate) fn start(&self) {
        let world = Arc::clone(&self.0);
        tokio::spawn(async move {
            let attempt = |pointer| Arc::clone(&world).attempt(pointer);
            world.queue.run(world.items.as_ref(), attempt).await;
        });
    }

    /// Simulates healthy tenants, each with two webhooks per minute, one of which loses its
    /// pointer.
    pub(crate) async fn serve(&self, tenants: u32, minutes: u32) -> Longest {
        let mut expected = Vec::new();
        for minute in 0..minutes {
            for tenant in 0..tenants {
                let name = format!("healthy-{tenant}");
                for lost in [false, true] {
                    let item = self.0.owed(&name, minute * 2 + u32::from(lost), 0);
                    self.0.items.put(item.id, item.clone());
                    expected.push((
                        WebhookId::for_confirmation(&item.id).as_str().to_owned(),
                        Instant::now(),
                        lost,
                    ));
                    if !lost {
                        let pointer = item.pointer().unwrap();
                        wake_dispatcher(self.0.ports(), pointer, Duration::ZERO).await;
                    }
                }
                // sleep: virtual; the tenants take turns
                tokio::time::sleep(Duration::from_mins(1) / tenants).await;
            }
        }
        let mut longest = Longest {
            sent: Duration::ZERO,
            lost: Duration::ZERO,
        };
        for (id, owed, lost) in expected {
            let at = self.0.arrivals.wait_for(&id).await;
            let longest = if lost {
                &mut longest.lost
            } else {
                &mut longest.sent
            };
            *longest = (*longest).max(at - owed);
        }
        longest
    }

    /// Makes the dead receivers answer from now on.
    pub(crate) fn heal(&self) {
        self.0.dead.store(false, Ordering::SeqCst);
    }

    /// Returns the number of a tenant's deliveries that have had no attempt.
    pub(crate) fn untried(&self, tenant: &str) -> usize {
        self.count(tenant, |delivery| delivery.attempts_claimed == 0)
    }

    /// Returns the number of a tenant's deliveries that are pending and in the due index, or were ended
    /// by an attempt.
    pub(crate) fn owed_or_ended(&self, tenant: &str) -> usize {
        self.count(tenant, |delivery| {
            delivery.due_at().is_some() || !delivery.attempts.is_empty()
        })
    }

    fn count(&self, tenant: &str, is: impl Fn(&Delivery) -> bool) -> usize {
        let items = self.0.items.every::<Confirmation>();
        let of_tenant = items.iter().filter(|item| item.app.as_str() == tenant);
        of_tenant
            .filter(|item| is(item.delivery().unwrap()))
            .count()
    }
}

impl Shared {
    fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: &self.queue,
            clock: &self.clock,
            entropy: &FixedEntropy(0),
            metrics: &Uncounted,
        }
    }

    /// Returns a verified confirmation whose webhook is pending from now on.
    fn owed(&self, tenant: &str, number: u32, origin: u32) -> Confirmation {
        let mut open = self.sample.clone();
        open.app = samples::app_id(tenant);
        let mut id = [0; 16];
        let lane = TenantLane::new(DeliveryKind::Confirmations, &open.app);
        id[..5].copy_from_slice(lane.as_bytes());
        id[6..10].copy_from_slice(&number.to_be_bytes());
        open.id = ConfirmationId::from_bytes(id);
        let callback = format!("https://{tenant}-{origin}.example.com/hook");
        open.callback = CallbackUrl::from_stored(&callback).ok();
        samples::verified(&open, &self.text, self.clock.now())
    }

    async fn attempt(self: Arc<Self>, pointer: DeliveryPointer) -> AttemptEnd {
        let sending = DeliveryPorts {
            signer: &DigestSigner::default(),
            secrets: &samples::MASTER_SECRET,
            sender: &*self,
            carriers: None,
            push: None,
            receivers: None,
        };
        match deliver(self.ports(), sending, Times::default(), pointer)
            .await
            .unwrap()
        {
            Outcome::Stale => AttemptEnd::Unsettled,
            Outcome::Attempted { result, .. } if result.is_success() => AttemptEnd::Well,
            Outcome::Attempted { .. } => AttemptEnd::Ill,
        }
    }
}

#[async_trait]
impl WebhookSender for Shared {
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        if url.as_str().contains("//dead-") && self.dead.load(Ordering::SeqCst) {
            tokio::time::sleep(TIMEOUT).await; // sleep: virtual; a receiver that hangs
            return SendOutcome::NoAnswer(FailureReason::TimedOut);
        }
        tokio::time::sleep(ANSWER).await; // sleep: virtual; a receiver that answers
        self.arrivals.note(request);
        SendOutcome::Answered {
            status: 204,
            retry_after: None,
            beginning: String::new(),
        }
    }
}
