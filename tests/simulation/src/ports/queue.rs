//! A queue like SQS: it delivers at least once and in no order, hides a message for a while after handing
//! it out, and sets aside messages that were handed out too often. During a storm, it is less reliable
//! than SQS.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use countersign_domain::delivery::DeliveryPointer;
use countersign_domain::delivery::queue::{DeliveryQueue, Enqueued, MAX_QUEUE_DELAY};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use tokio::sync::Notify;

use crate::env::{Env, Link};
use crate::sim::{OUTSIDE, Shared, Work};
use crate::weather::Transport;

/// Time for which a message stays hidden after it is handed out.
const VISIBILITY_TIMEOUT: Duration = Duration::from_secs(90);

/// Number of times that a message is handed out before the queue sets it aside.
const MAX_RECEIVES: u32 = 4;

/// Maximum number of messages that are handed out at once.
const BATCH: u64 = 5;

#[derive(Clone)]
pub struct Queue {
    env: Env,
    state: Shared<State>,
    arrived: Arc<Notify>,
}

#[derive(Default)]
struct State {
    messages: Vec<Message>,
    sent: u64,
}

struct Message {
    number: u64,
    pointer: DeliveryPointer,
    visible_at: Timestamp,
    receives: u32,
    /// Done when the message is deleted or set aside.
    _work: Work,
}

/// A message received from the queue.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedMessage {
    /// The number with which the message is deleted.
    pub number: u64,
    /// The content.
    pub pointer: DeliveryPointer,
}

impl Queue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new(env: Env) -> Self {
        Self {
            env,
            state: Shared::new(State::default()),
            arrived: Arc::default(),
        }
    }

    /// Accepts a message; may lose, duplicate or delay it.
    fn put(&self, pointer: DeliveryPointer, delay: Duration) {
        let now = self.env.sim.now();
        // SQS accepts delays in whole seconds, up to 900.
        let delay = delay.min(MAX_QUEUE_DELAY);
        let rounded_up = delay.as_secs() + u64::from(delay.subsec_nanos() > 0);
        let delay = Duration::from_secs(rounded_up);
        let transport = self
            .env
            .sim
            .draw(|chance| self.env.weather.transport(chance, now));
        let (copies, held) = match transport {
            Transport::Once => (1, Duration::ZERO),
            Transport::Lost => (0, Duration::ZERO),
            Transport::Twice => (2, Duration::ZERO),
            Transport::Held(by) => (1, by),
        };
        if transport != Transport::Once {
            let what = match transport {
                Transport::Lost => "fault: message lost",
                Transport::Twice => "fault: message doubled",
                _ => "fault: message held",
            };
            self.env.count(what);
            self.env.sim.note(OUTSIDE, what, String::new);
        }
        self.state.with(|state| {
            for _ in 0..copies {
                state.sent += 1;
                state.messages.push(Message {
                    number: state.sent,
                    pointer,
                    visible_at: now.plus(delay + held),
                    receives: 0,
                    _work: self.env.sim.work(),
                });
            }
        });
        self.arrived.notify_waiters();
    }

    /// Waits for messages, and hands out some of them in random order.
    pub async fn receive(&self) -> Vec<ReceivedMessage> {
        loop {
            let now = self.env.sim.now();
            let most = self.env.sim.draw(|chance| 1 + chance.below(BATCH));
            let mut handed = Vec::new();
            for _ in 0..most {
                handed.extend(self.hand_out(now));
            }
            if !handed.is_empty() {
                return handed;
            }
            let messages = |state: &mut State| state.messages.iter().map(|it| it.visible_at).min();
            match self.state.with(messages) {
                Some(next) => {
                    let another = self.env.sim.within(next, self.arrived.notified());
                    another.await;
                }
                None => self.arrived.notified().await,
            }
        }
    }

    fn hand_out(&self, now: Timestamp) -> Option<ReceivedMessage> {
        self.state.with(|state| {
            let visible: Vec<usize> = (0..state.messages.len())
                .filter(|index| state.messages[*index].visible_at <= now)
                .collect();
            if visible.is_empty() {
                return None;
            }
            let index = self.env.sim.draw(|chance| chance.one_of(&visible));
            let message = &mut state.messages[index];
            message.receives += 1;
            message.visible_at = now.plus(VISIBILITY_TIMEOUT);
            let handed = ReceivedMessage {
                number: message.number,
                pointer: message.pointer,
            };
            if message.receives > MAX_RECEIVES {
                state.messages.remove(index);
                self.env.count("message set aside");
                return None;
            }
            Some(handed)
        })
    }

    fn delete(&self, number: u64) {
        self.state
            .with(|state| state.messages.retain(|message| message.number != number));
    }
}

/// A process's link to the queue.
#[derive(Clone)]
pub struct QueueLink {
    /// The process.
    pub link: Link,
    pub queue: Queue,
}

impl QueueLink {
    /// Deletes a message that has been handled.
    pub async fn delete(&self, number: u64) {
        let queue = self.queue.clone();
        let effect = async move {
            queue.delete(number);
            Ok(())
        };
        // If this fails, the message is handed out again and is stale.
        let _ = self.link.call("queue: delete", effect).await;
    }
}

#[async_trait]
impl DeliveryQueue for QueueLink {
    async fn enqueue(
        &self,
        pointer: DeliveryPointer,
        delay: Duration,
    ) -> Result<Enqueued, Unavailable> {
        let queue = self.queue.clone();
        let effect = async move {
            queue.put(pointer, delay);
            Ok(Enqueued::Waiting)
        };
        self.link.call("queue: send", effect).await
    }
}
