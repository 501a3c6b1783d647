//! The processes that take pointers from the queue, make attempts, and run sweeps.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_domain::delivery::receivers::SlowReceivers;
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::store::Store;
use countersign_domain::use_cases::deliver::{DeliveryPorts, deliver};
use countersign_domain::use_cases::sweep::{SweepCursors, SweepLimit, sweep};
use countersign_domain::use_cases::{Ports, Times};
use tokio::sync::oneshot;

use super::keep_running;
use crate::env::Link;
use crate::ports::{
    CarrierLink, ItemsLink, Queue, QueueLink, ReceivedMessage, Receivers, ReceiversLink,
    SignerLink, Watched,
};
use crate::wire::Keys;

/// Maximum number of deliveries that one sweep handles.
const SWEEP_LIMIT: usize = 1_000;

/// Time after which a sweep stops.
const SWEEP_TIME: Duration = Duration::from_secs(40);

/// A process that delivers webhooks.
#[derive(Clone)]
pub struct Dispatcher {
    link: Link,
    items: ItemsLink,
    store: Arc<Store>,
    queue: QueueLink,
    signer: Arc<SignerLink>,
    sender: Arc<ReceiversLink>,
    /// A process that dies loses this information, which does no harm.
    receivers: Arc<SlowReceivers>,
    /// The positions at which the next sweep continues. A process that died starts from the
    /// beginning.
    places: Arc<Mutex<SweepCursors>>,
}

impl Dispatcher {
    /// Creates a process that delivers webhooks.
    #[must_use]
    pub fn new(
        link: Link,
        watched: Arc<Watched>,
        queue: Queue,
        receivers: Receivers,
        keys: Keys,
    ) -> Self {
        let signer = Arc::new(SignerLink {
            link: link.clone(),
            keys,
        });
        let sender = Arc::new(ReceiversLink {
            link: link.clone(),
            receivers,
        });
        let items = ItemsLink {
            link: link.clone(),
            watched,
        };
        Self {
            store: items.clone().store(),
            items,
            queue: QueueLink {
                link: link.clone(),
                queue,
            },
            link,
            signer,
            sender,
            receivers: Arc::default(),
            places: Arc::default(),
        }
    }

    /// Runs the process, and restarts it after each death.
    pub fn run(&self) {
        let this = self.clone();
        let boot = move || {
            let (process, this) = (this.link.process, this.clone());
            let sim = this.link.env.sim.clone();
            sim.spawn_server(process, this.take_messages());
        };
        keep_running(&self.link.env, self.link.process, boot);
    }

    /// Receives batches for as long as the process lives. The messages of a batch are independent: only
    /// those that fail remain in the queue.
    async fn take_messages(self) {
        let sim = self.link.env.sim.clone();
        loop {
            for message in self.queue.queue.receive().await {
                sim.spawn(self.link.process, self.clone().attempt(message));
            }
            sim.pass(sim.millis_below(50)).await;
        }
    }

    fn ports(&self) -> Ports<'_> {
        Ports {
            store: &self.store,
            queue: &self.queue,
            clock: &self.link,
            entropy: &self.link,
            metrics: &self.link,
        }
    }

    async fn attempt(self, message: ReceivedMessage) {
        let lookup = CarrierLink {
            link: self.link.clone(),
        };
        let sending = DeliveryPorts {
            signer: &*self.signer,
            secrets: &countersign_conformance::samples::MASTER_SECRET,
            sender: &*self.sender,
            carriers: Some(&lookup),
            push: None,
            receivers: Some(&self.receivers),
        };
        let result = deliver(self.ports(), sending, Times::default(), message.pointer).await;
        let sim = &self.link.env.sim;
        sim.note(self.link.process, "deliver", || {
            format!("{:?} {result:?}", message.pointer.subject)
        });
        if result.is_ok() {
            self.queue.delete(message.number).await;
        }
    }

    /// Starts a sweep in this process, if it is alive. The channel closes when it has ended.
    #[must_use]
    pub fn start_sweep(&self) -> oneshot::Receiver<()> {
        let (running, ended) = oneshot::channel();
        let this = self.clone();
        let sim = self.link.env.sim.clone();
        sim.spawn(self.link.process, async move {
            let limit = SweepLimit {
                deliveries: SWEEP_LIMIT,
                until: this.link.now().plus(SWEEP_TIME),
            };
            let places = || this.places.lock().unwrap_or_else(PoisonError::into_inner);
            let mut own = std::mem::take(&mut *places());
            let result = sweep(this.ports(), &this.items, &mut own, limit).await;
            *places() = own;
            let sim = &this.link.env.sim;
            sim.note(this.link.process, "sweep", || format!("{result:?}"));
            drop(running);
        });
        ended
    }
}
