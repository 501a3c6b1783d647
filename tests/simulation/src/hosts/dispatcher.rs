//! The processes that take pointers from the queue, make attempts, and sweep when told to.

use std::sync::Arc;

use countersign_domain::delivery::sender::WebhookSender;
use countersign_domain::delivery::signing::Signer;
use countersign_domain::use_cases::deliver::{Carriers, deliver};
use countersign_domain::use_cases::sweep::{Occasion, sweep};
use countersign_domain::use_cases::{Times, deliver, sweep};

use super::keep_running;
use crate::env::Link;
use crate::executor::{Reply, reply};
use crate::ports::{CarrierLink, Queue, QueueLink, ReceivedMessage, StoreLink, Watched};

/// Maximum number of deliveries that one sweep takes up.
const SWEEP_LIMIT: usize = 1_000;

/// Makes the signer and the sender of a process from its link.
pub type Tools = Arc<dyn Fn(&Link) -> (Arc<dyn Signer>, Arc<dyn WebhookSender>) + Send + Sync>;

/// A process that delivers.
#[derive(Clone)]
pub struct Dispatcher {
    link: Link,
    store: StoreLink,
    queue: QueueLink,
    signer: Arc<dyn Signer>,
    sender: Arc<dyn WebhookSender>,
}

impl Dispatcher {
    /// Creates a process that delivers.
    #[must_use]
    pub fn new(link: Link, watched: Arc<Watched>, queue: Queue, tools: &Tools) -> Self {
        let (signer, sender) = tools(&link);
        Self {
            store: StoreLink {
                link: link.clone(),
                watched,
            },
            queue: QueueLink {
                link: link.clone(),
                queue,
            },
            link,
            signer,
            sender,
        }
    }

    /// Runs the process, and restarts it after each death.
    pub fn run(&self) {
        let this = self.clone();
        let boot = move || {
            let (process, this) = (this.link.process, this.clone());
            let sim = this.link.env.sim.clone();
            sim.spawn(process, this.take_messages());
        };
        keep_running(&self.link.env, self.link.process, boot);
    }

    /// Takes batches for as long as the process lives. The messages of a batch are independent: only those
    /// that fail stay in the queue.
    async fn take_messages(self) {
        let sim = self.link.env.sim.clone();
        loop {
            for message in self.queue.queue.receive().await {
                sim.spawn(self.link.process, self.clone().attempt(message));
            }
            sim.pass(sim.millis_below(50)).await;
        }
    }

    async fn attempt(self, message: ReceivedMessage) {
        let lookup = CarrierLink {
            link: self.link.clone(),
        };
        let ports = deliver::Ports {
            deliveries: &self.store,
            carriers: Some(Carriers {
                lookup: &lookup,
                confirmations: &self.store,
            }),
            queue: &self.queue,
            signer: &*self.signer,
            sender: &*self.sender,
            clock: &self.link,
            entropy: &self.link,
            metrics: &self.link,
        };
        let result = deliver(ports, Times::default(), message.pointer).await;
        let sim = &self.link.env.sim;
        sim.note(self.link.process, "deliver", || {
            format!("{:?} {result:?}", message.pointer.subject)
        });
        if result.is_ok() {
            self.queue.delete(message.number).await;
        }
    }

    /// Starts a sweep in this process, if it is alive.
    #[must_use]
    pub fn start_sweep(&self) -> Reply<()> {
        let (replying, reply) = reply();
        let this = self.clone();
        let sim = self.link.env.sim.clone();
        sim.spawn(self.link.process, async move {
            let ports = sweep::Ports {
                deliveries: &this.store,
                queue: &this.queue,
                clock: &this.link,
                metrics: &this.link,
            };
            let result = sweep(ports, SWEEP_LIMIT, Occasion::Minute).await;
            let sim = &this.link.env.sim;
            sim.note(this.link.process, "sweep", || format!("{result:?}"));
            replying.send(());
        });
        reply
    }
}
