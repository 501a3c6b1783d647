//! The dispatchers with their queues, store and receivers.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use countersign_conformance::model::ModelItems;
use countersign_conformance::ports::{DigestSigner, TokioClock, Uncounted};
use countersign_conformance::samples;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::transitions::TextEvidence;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued};
use countersign_domain::delivery::receivers::SlowReceivers;
use countersign_domain::delivery::sender::{SendOutcome, WebhookRequest, WebhookSender};
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::delivery::{DeliveryPointer, DeliverySubject, FailureReason};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::{ConfirmationId, WebhookId};
use countersign_domain::primitives::time::Clock;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{DeliveryPorts, deliver};
use countersign_domain::use_cases::sweep::{SweepCursors, SweepLimit, sweep};
use countersign_domain::use_cases::{Ports, Times};
use countersign_domain::web::callback_url::CallbackUrl;
use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::virtual_time::Arrivals;

/// Number of dispatchers per queue: the template's default.
const DISPATCHERS: u32 = 2;
/// Number of messages that a dispatcher receives in one batch.
const BATCH: usize = 10;
/// Duration of all calls of one attempt except the receiver's.
const CALLS: Duration = Duration::from_millis(20);
/// Response time of a healthy receiver.
const ANSWER: Duration = Duration::from_millis(50);
/// Response time of a busy receiver.
pub(crate) const BUSY_ANSWER: Duration = Duration::from_millis(200);
/// Timeout of an attempt to a receiver that is down.
const TIMEOUT: Duration = Duration::from_secs(10);
/// An ordinary webhook takes less time than this.
const ORDINARY: Duration = Duration::from_millis(200);
/// The number of waiting messages up to which the sweeper fills the queues.
const MAX_WAITING: usize = 1000;
const ROUNDS: usize = 10;
const PAUSE: Duration = Duration::from_secs(2);
const LATEST: Duration = Duration::from_secs(40);

/// The longest waits for webhooks to healthy receivers: with an enqueued pointer (`sent`) and with a lost
/// pointer (`lost`); and the number of the former that took longer than usual (`late`).
#[derive(Debug)]
pub(crate) struct Waits {
    pub(crate) sent: Duration,
    pub(crate) lost: Duration,
    pub(crate) late: usize,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    /// Number of pointers that the sweep enqueued while an equal one was waiting.
    pub(crate) doubled: usize,
    pub(crate) requests_to_down: usize,
}

#[derive(Clone)]
pub(crate) struct World(Arc<Shared>);

struct Shared {
    items: Arc<ModelItems>,
    store: Store,
    first_attempts: Arc<Queue>,
    retries: Arc<Queue>,
    sample: (Confirmation, TextEvidence),
    clock: TokioClock,
    down: AtomicBool,
    made: AtomicUsize,
    drawn: AtomicUsize,
    doubled: AtomicUsize,
    requests_to_down: AtomicUsize,
    arrivals: Arrivals,
}

/// A first-in, first-out queue.
#[derive(Default)]
struct Queue {
    waiting: Mutex<VecDeque<DeliveryPointer>>,
    known: Mutex<HashSet<(DeliverySubject, u32)>>,
    rings: Notify,
}

impl Queue {
    /// Accepts a pointer, which is handed out after a delay.
    fn take(self: &Arc<Self>, pointer: DeliveryPointer, delay: Duration) {
        let attempt = (pointer.subject, pointer.attempts_claimed);
        self.known.lock().unwrap().insert(attempt);
        let this = Arc::clone(self);
        let put = move || {
            this.waiting.lock().unwrap().push_back(pointer);
            this.rings.notify_one();
        };
        if delay.is_zero() {
            return put();
        }
        tokio::spawn(async move {
            sleep(delay).await; // sleep: virtual
            put();
        });
    }

    fn holds(&self, pointer: &DeliveryPointer) -> bool {
        let attempt = (pointer.subject, pointer.attempts_claimed);
        self.known.lock().unwrap().contains(&attempt)
    }

    fn len(&self) -> usize {
        self.waiting.lock().unwrap().len()
    }

    async fn batch(&self) -> Vec<DeliveryPointer> {
        loop {
            let batch: Vec<_> = {
                let mut waiting = self.waiting.lock().unwrap();
                let count = waiting.len().min(BATCH);
                waiting.drain(..count).collect()
            };
            if !batch.is_empty() {
                for pointer in &batch {
                    let attempt = (pointer.subject, pointer.attempts_claimed);
                    self.known.lock().unwrap().remove(&attempt);
                }
                self.rings.notify_one();
                return batch;
            }
            self.rings.notified().await;
        }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let items = Arc::<ModelItems>::default();
        let clock = TokioClock(Instant::now());
        Self(Arc::new(Shared {
            store: Store::new(items.clone(), Arc::new(clock.clone())),
            items,
            first_attempts: Arc::default(),
            retries: Arc::default(),
            sample: (samples::acquisition(0), samples::text(0)),
            clock,
            down: AtomicBool::new(true),
            made: AtomicUsize::new(0),
            drawn: AtomicUsize::new(0),
            doubled: AtomicUsize::new(0),
            requests_to_down: AtomicUsize::new(0),
            arrivals: Arrivals::default(),
        }))
    }

    /// Makes `count` webhooks due for the receiver that is down. Their pointers are lost.
    pub(crate) async fn owe(&self, count: u32) {
        for _ in 0..count {
            self.0.verify("shop", "down");
        }
        tokio::time::advance(Duration::from_hours(1)).await;
    }

    /// Starts the dispatchers and the schedule of the sweep.
    pub(crate) fn start(&self) {
        self.start_with(DISPATCHERS);
    }

    /// Starts this many dispatchers for first attempts, and the schedule of the sweep.
    pub(crate) fn start_with(&self, for_first_attempts: u32) {
        for number in 0..for_first_attempts + DISPATCHERS {
            tokio::spawn(Arc::clone(&self.0).dispatch(number < for_first_attempts));
        }
        let world = Arc::clone(&self.0);
        tokio::spawn(async move {
            let mut places = SweepCursors::default();
            loop {
                world.sweep_each_minute(&mut places).await;
            }
        });
    }

    /// Verifies ten numbers per second whose webhooks go to the receiver that is down.
    pub(crate) fn load_on_down(&self, time: Duration) {
        let world = Arc::clone(&self.0);
        tokio::spawn(async move {
            let end = Instant::now() + time;
            while Instant::now() < end {
                let pointer = world.verify("shop", "down");
                world.first_attempts.take(pointer, Duration::ZERO);
                sleep(Duration::from_millis(100)).await; // sleep: virtual
            }
        });
    }

    /// Verifies one number per second, in turn for twenty apps and for another receiver of the app whose
    /// receiver is down. Every tenth pointer is lost.
    pub(crate) async fn serve(&self, time: Duration) -> Waits {
        let mut expected = Vec::new();
        for second in 0..time.as_secs() {
            let app = format!("app-{}", second % 20);
            let app = if second % 2 == 0 { "shop" } else { &app };
            let (pointer, lost) = (self.0.verify(app, "well"), second % 10 == 9);
            expected.push((id_of(pointer), Instant::now(), lost));
            if !lost {
                self.0.first_attempts.take(pointer, Duration::ZERO);
            }
            sleep(Duration::from_secs(1)).await; // sleep: virtual
        }
        let (mut sent, mut lost) = (Vec::new(), Vec::new());
        for (id, owed, is_lost) in expected {
            let wait = self.0.arrivals.wait_for(&id).await - owed;
            if is_lost { &mut lost } else { &mut sent }.push(wait);
        }
        Waits {
            late: sent.iter().filter(|wait| **wait > ORDINARY).count(),
            sent: sent.into_iter().max().unwrap(),
            lost: lost.into_iter().max().unwrap(),
        }
    }

    /// Verifies `rate` numbers per second for a thousand apps in turn, for four seconds. Returns how long the
    /// pointers waited in the queue, in ascending order.
    pub(crate) async fn load(&self, rate: u64) -> Vec<Duration> {
        let began = Instant::now();
        let mut expected = Vec::new();
        for number in 0..4 * rate {
            let at = began + Duration::from_micros(number * 1_000_000 / rate);
            tokio::time::sleep_until(at).await; // sleep: virtual
            let pointer = self.0.verify(&format!("app-{}", number % 1000), "busy");
            expected.push((id_of(pointer), Instant::now()));
            self.0.first_attempts.take(pointer, Duration::ZERO);
        }
        let mut waits = Vec::new();
        for (id, owed) in expected {
            let wait = self.0.arrivals.wait_for(&id).await - owed;
            waits.push(wait.saturating_sub(CALLS + BUSY_ANSWER));
        }
        waits.sort();
        waits
    }

    /// Makes the receiver that is down answer from now on.
    pub(crate) fn heal(&self) {
        self.0.down.store(false, Ordering::SeqCst);
    }

    /// Returns the number of webhooks that are pending for the receiver that is or was down.
    pub(crate) fn owed_by_down(&self) -> usize {
        let items = self.0.items.every::<Confirmation>().into_iter();
        let to_down =
            items.filter(|item| item.callback.as_ref().unwrap().as_str().contains("//down"));
        let deliveries = to_down.map(|item| item.delivery().unwrap().is_pending());
        deliveries.filter(|pending| *pending).count()
    }

    pub(crate) fn counted(&self) -> Counted {
        Counted {
            doubled: self.0.doubled.load(Ordering::SeqCst),
            requests_to_down: self.0.requests_to_down.load(Ordering::SeqCst),
        }
    }
}

fn id_of(pointer: DeliveryPointer) -> String {
    let DeliverySubject::Confirmation(id) = pointer.subject else {
        unreachable!("all are confirmations")
    };
    WebhookId::for_confirmation(&id).as_str().to_owned()
}

impl Shared {
    fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: self,
            clock: &self.clock,
            entropy: self,
            metrics: &Uncounted,
        }
    }

    /// Stores a confirmation whose webhook is pending from now on.
    fn verify(&self, app: &str, receiver: &str) -> DeliveryPointer {
        let number = self.made.fetch_add(1, Ordering::SeqCst) as u64;
        let (mut open, text) = self.sample.clone();
        open.app = samples::app_id(app);
        let mut id = [0; 16];
        // The other bytes choose the shard.
        id[..8].copy_from_slice(&number.to_le_bytes());
        open.id = ConfirmationId::from_bytes(id);
        let callback = format!("https://{receiver}.{app}.example.com/hook");
        open.callback = CallbackUrl::from_stored(&callback).ok();
        let item = samples::verified(&open, &text, self.clock.now());
        let pointer = item.pointer().unwrap();
        self.items.put(item.id, item);
        pointer
    }

    /// Runs a dispatcher: makes the attempts of a batch concurrently, and receives the next batch when
    /// all have ended.
    async fn dispatch(self: Arc<Self>, takes_first_attempts: bool) {
        let slow = SlowReceivers::default();
        let queue = if takes_first_attempts {
            &self.first_attempts
        } else {
            &self.retries
        };
        loop {
            let attempts = queue.batch().await.into_iter().map(|pointer| {
                let (this, slow) = (&self, &slow);
                async move {
                    if takes_first_attempts && slow.contain(pointer.group) {
                        this.retries.take(pointer, Duration::ZERO);
                        return;
                    }
                    let sending = DeliveryPorts {
                        signer: &DigestSigner::default(),
                        secrets: &samples::MASTER_SECRET,
                        sender: &**this,
                        carriers: None,
                        push: None,
                        receivers: Some(slow),
                    };
                    sleep(CALLS).await; // sleep: virtual
                    let times = Times::default();
                    deliver(this.ports(), sending, times, pointer)
                        .await
                        .unwrap();
                }
            });
            join_all(attempts).await;
        }
    }

    async fn sweep_each_minute(&self, places: &mut SweepCursors) {
        let next = Instant::now() + Duration::from_mins(1);
        for _ in 0..ROUNDS {
            let waiting = self.first_attempts.len() + self.retries.len();
            let room = MAX_WAITING.saturating_sub(waiting);
            if room == 0 {
                break;
            }
            let late = Late(self);
            let ports = Ports {
                queue: &late,
                ..self.ports()
            };
            let limit = SweepLimit {
                deliveries: room,
                until: self.clock.now().plus(LATEST),
            };
            let swept = sweep(ports, &*self.items, places, limit).await;
            if swept.found < room {
                break;
            }
            sleep(PAUSE).await; // sleep: virtual
        }
        tokio::time::sleep_until(next).await; // sleep: virtual
    }
}

/// The queue to which a dispatcher sends pointers. A pointer becomes available after its delay.
#[async_trait]
impl DeliveryQueue for Shared {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        let queue = if pointer.is_first_attempt() {
            &self.first_attempts
        } else {
            &self.retries
        };
        queue.take(pointer, delay);
        Ok(Enqueued::Waiting)
    }
}

/// The queue to which the sweep sends pointers, all of which are late.
struct Late<'a>(&'a Shared);

#[async_trait]
impl DeliveryQueue for Late<'_> {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        let queues = [&self.0.first_attempts, &self.0.retries];
        if queues.iter().any(|queue| queue.holds(&pointer)) {
            self.0.doubled.fetch_add(1, Ordering::SeqCst);
        }
        self.0.retries.take(pointer, delay);
        Ok(Enqueued::Waiting)
    }
}

#[async_trait]
impl WebhookSender for Shared {
    async fn send(&self, url: &CallbackUrl, request: &WebhookRequest) -> SendOutcome {
        if url.as_str().contains("//down") && self.down.load(Ordering::SeqCst) {
            self.requests_to_down.fetch_add(1, Ordering::SeqCst);
            sleep(TIMEOUT).await; // sleep: virtual; a receiver that hangs
            return SendOutcome::NoAnswer(FailureReason::TimedOut);
        }
        let is_busy = url.as_str().contains("//busy");
        sleep(if is_busy { BUSY_ANSWER } else { ANSWER }).await; // sleep: virtual; a receiver that answers
        self.arrivals.note(request);
        SendOutcome::Answered {
            status: 204,
            retry_after: None,
            beginning: String::new(),
        }
    }
}

/// Jitter that differs from attempt to attempt.
impl Entropy for Shared {
    fn fill(&self, buffer: &mut [u8]) {
        let drawn = self.drawn.fetch_add(97, Ordering::SeqCst);
        buffer.fill(u8::try_from(drawn % 256).unwrap());
    }
}
