//! The parts that everything in a run shares: time, weather, tally and oracle. Also the link from a
//! process to a port, where faults happen.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::event::{Event, Labels, Metrics};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::primitives::unavailable::Unavailable;

use crate::oracle::Oracle;
use crate::sim::{OUTSIDE, ProcessId, Shared, Sim};
use crate::weather::{Ending, Weather};

/// Number of times that each event happened.
pub type Tally = BTreeMap<&'static str, u64>;

/// The shared parts of a run.
#[derive(Clone)]
pub struct Env {
    /// Tasks, time and randomness.
    pub sim: Sim,
    /// The probability of each fault.
    pub weather: Arc<Weather>,
    /// Counts of what happened.
    pub tally: Shared<Tally>,
    /// Checks that every promise is kept.
    pub oracle: Shared<Oracle>,
}

impl Env {
    /// Adds one to the count of an event.
    pub fn count(&self, what: &'static str) {
        self.tally
            .with(|tally| *tally.entry(what).or_default() += 1);
    }

    /// Draws whether a message between two machines is lost.
    #[must_use]
    pub fn loses_message(&self) -> bool {
        let now = self.sim.now();
        self.sim.draw(|chance| self.weather.loses(chance, now))
    }
}

/// One process's link to the ports, with its own clock.
#[derive(Clone)]
pub struct Link {
    /// The shared parts of the run.
    pub env: Env,
    pub process: ProcessId,
    /// Amount by which the process's clock is ahead.
    pub skew: Duration,
}

impl Link {
    /// Calls a port. `effect` is what the port does; the simulation draws whether and when it
    /// happens.
    ///
    /// # Errors
    /// Fails if the drawn fate of the call is a failure.
    pub async fn call<T: Debug + Send + 'static>(
        &self,
        what: &'static str,
        effect: impl Future<Output = Result<T, Unavailable>> + Send + 'static,
    ) -> Result<T, Unavailable> {
        let sim = &self.env.sim;
        let now = sim.now();
        let fate = sim.draw(|chance| self.env.weather.fate(chance, now));
        if fate.before + fate.after > Duration::from_secs(30) {
            self.env.count("fault: slow");
        }
        sim.pass(fate.before).await;
        match fate.ending {
            Ending::Refused => return Err(self.fails(what, "fault: refused")),
            Ending::Late(by) => {
                sim.spawn(OUTSIDE, self.happens_later(what, effect, by));
                sim.pass(fate.after).await;
                return Err(self.fails(what, "fault: late"));
            }
            Ending::DeathBefore => return self.dies(what, "fault: death before").await,
            Ending::Answered | Ending::Lost | Ending::DeathAfter => {}
        }
        let answer = effect.await;
        sim.note(self.process, what, || format!("{answer:?}"));
        if fate.ending == Ending::DeathAfter {
            return self.dies(what, "fault: death after").await;
        }
        sim.pass(fate.after).await;
        if fate.ending == Ending::Lost {
            return Err(self.fails(what, "fault: lost"));
        }
        answer
    }

    fn fails(&self, what: &'static str, how: &'static str) -> Unavailable {
        self.env.count(how);
        self.env.sim.note(self.process, what, || how.to_owned());
        Unavailable::new(what, how)
    }

    fn happens_later<T: Debug + Send>(
        &self,
        what: &'static str,
        effect: impl Future<Output = Result<T, Unavailable>> + Send + 'static,
        by: Duration,
    ) -> impl Future<Output = ()> + Send + 'static {
        let sim = self.env.sim.clone();
        async move {
            sim.pass(by).await;
            let answer = effect.await;
            sim.note(OUTSIDE, what, || {
                format!("late, answer dropped: {answer:?}")
            });
        }
    }

    /// Kills the process during the call, so it never returns.
    pub(crate) async fn dies<T>(&self, what: &'static str, how: &'static str) -> T {
        self.env.count(how);
        self.env.sim.note(self.process, what, || how.to_owned());
        self.env.sim.kill(self.process);
        pending().await
    }
}

impl Clock for Link {
    fn now(&self) -> Timestamp {
        self.env.sim.now().plus(self.skew)
    }
}

impl Entropy for Link {
    fn fill(&self, buffer: &mut [u8]) {
        self.env.sim.draw(|chance| {
            for bytes in buffer.chunks_mut(8) {
                let drawn = chance.number().to_le_bytes();
                bytes.copy_from_slice(&drawn[..bytes.len()]);
            }
        });
    }
}

impl Metrics for Link {
    fn count(&self, event: &Event, _: Labels<'_>) {
        self.env.count(event.name());
    }
}
