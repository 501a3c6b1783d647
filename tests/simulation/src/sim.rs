//! Processes, virtual time and one source of randomness, on tokio's current-thread runtime.
//!
//! The runtime's clock is paused: it moves only when all tasks wait, and then jumps to the next time that a
//! task waits for. The runtime takes ready tasks in the order in which they were woken, so the seed must
//! draw that order: a millisecond of virtual time is `TICKS` of the runtime's, and a task that waits for a
//! millisecond continues at one of its ticks, drawn from the seed.

#[cfg(test)]
mod tests;
mod work;

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign_conformance::chance::Chance;
use countersign_domain::primitives::time::Timestamp;
use futures_util::FutureExt as _;
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

use crate::trace::Trace;
pub use work::Work;

/// Number of the runtime's milliseconds in a virtual one. The runtime takes times up to two years.
const TICKS: u32 = 16;

/// A value that the tasks share. They run on one thread, so nothing ever waits for the lock; it exists
/// because the ports are `Sync`.
pub struct Shared<T>(Arc<Mutex<T>>);

impl<T> Shared<T> {
    pub fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    /// Runs `look` with the value, which it may read or change.
    pub fn with<R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Identifies a process. All tasks of a process end when it dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessId(usize);

/// The process of everything that is not ours: callers, providers, the network. Never dies.
pub const OUTSIDE: ProcessId = ProcessId(0);

/// A handle to the simulation, for its tasks.
#[derive(Clone)]
pub struct Sim {
    begins: Timestamp,
    epoch: Instant,
    /// Cancelled when the run must end early.
    over: CancellationToken,
    state: Shared<State>,
}

struct State {
    chance: Chance,
    trace: Trace,
    processes: Vec<Process>,
    work: work::Pieces,
    /// The payload of a task's panic.
    panic: Option<Box<dyn Any + Send>>,
}

struct Process {
    name: String,
    /// Cancelled when the process dies.
    life: CancellationToken,
}

/// Runs a future, and all tasks that it spawns, on a paused clock.
///
/// # Panics
/// Panics if the runtime cannot be built.
#[expect(clippy::expect_used, reason = "without a runtime there is no run")]
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.expect("a runtime without IO").block_on(future)
}

impl Sim {
    /// Creates a simulation that begins at `now`, within [`block_on`].
    #[must_use]
    pub fn new(chance: Chance, now: Timestamp, trace: Trace) -> Self {
        let outside = Process {
            name: "outside".to_owned(),
            life: CancellationToken::new(),
        };
        Self {
            begins: now,
            epoch: Instant::now(),
            over: CancellationToken::new(),
            state: Shared::new(State {
                chance,
                trace,
                processes: vec![outside],
                work: work::Pieces::default(),
                panic: None,
            }),
        }
    }

    /// Returns the current time, without any clock skew.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.begins.plus(self.epoch.elapsed() / TICKS)
    }

    /// Draws from the simulation's randomness.
    pub fn draw<R>(&self, draw: impl FnOnce(&mut Chance) -> R) -> R {
        self.state.with(|state| draw(&mut state.chance))
    }

    /// Draws a duration shorter than `end` milliseconds.
    #[must_use]
    pub fn millis_below(&self, end: u64) -> Duration {
        Duration::from_millis(self.draw(|chance| chance.below(end)))
    }

    /// Writes a line into the trace. `detail` is called only if the trace has a reader.
    pub fn note(&self, process: ProcessId, what: &'static str, detail: impl FnOnce() -> String) {
        let now = self.now();
        self.state.with(|state| {
            let State {
                trace, processes, ..
            } = state;
            trace.note(now, process.0, &processes[process.0].name, what, detail);
        });
    }

    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        self.state.with(|state| state.trace.hash())
    }

    /// Creates a process, and does not start it.
    #[must_use]
    pub fn process(&self, name: String) -> ProcessId {
        let life = CancellationToken::new();
        life.cancel();
        self.state.with(|state| {
            state.processes.push(Process { name, life });
            ProcessId(state.processes.len() - 1)
        })
    }

    /// Starts a process with empty memory.
    pub fn start(&self, process: ProcessId) {
        let life = CancellationToken::new();
        self.state
            .with(|state| state.processes[process.0].life = life);
        self.note(process, "started", String::new);
    }

    /// Runs a task in a process, if the process is alive. The run does not end before the task.
    pub fn spawn(&self, process: ProcessId, task: impl Future<Output = ()> + Send + 'static) {
        let work = self.work();
        self.spawn_server(process, async move {
            task.await;
            drop(work);
        });
    }

    /// Runs a task in a process, if the process is alive. The task never ends, and the run does not wait
    /// for it.
    pub fn spawn_server(
        &self,
        process: ProcessId,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let (sim, life) = (self.clone(), self.life_of(process));
        tokio::spawn(async move {
            // The runtime would keep the panic for the one who joins the task.
            let task = AssertUnwindSafe(life.run_until_cancelled(task));
            if let Err(panic) = task.catch_unwind().await {
                sim.state.with(|state| state.panic = Some(panic));
                sim.over.cancel();
            }
        });
    }

    /// Kills a process. None of its tasks takes another step.
    pub fn kill(&self, process: ProcessId) {
        self.life_of(process).cancel();
        self.note(process, "died", String::new);
    }

    /// Waits until a process is dead.
    pub async fn death_of(&self, process: ProcessId) {
        self.life_of(process).cancelled().await;
    }

    fn life_of(&self, process: ProcessId) -> CancellationToken {
        self.state
            .with(|state| state.processes[process.0].life.clone())
    }

    /// Waits for that much time.
    pub async fn pass(&self, time: Duration) {
        self.pass_until(self.now().plus(time)).await;
    }

    /// Waits until a time. Other tasks get a turn even if the time has already passed.
    pub async fn pass_until(&self, at: Timestamp) {
        let tick = Duration::from_millis(self.draw(|chance| chance.below(TICKS.into())));
        let next_tick = Instant::now() + Duration::from_millis(1);
        sleep_until(next_tick.max(self.instant(at) + tick)).await; // sleep: virtual
    }

    /// Waits for an answer until `deadline`. Returns `None` if none came.
    pub async fn within<T>(
        &self,
        deadline: Timestamp,
        answer: impl Future<Output = T>,
    ) -> Option<T> {
        timeout_at(self.instant(deadline), answer).await.ok()
    }

    fn instant(&self, at: Timestamp) -> Instant {
        self.epoch + at.since(self.begins) * TICKS
    }

    /// Returns the token to end the run early with.
    #[must_use]
    pub fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    /// Takes what a task panicked with, if one did.
    #[must_use]
    pub fn panic(&self) -> Option<Box<dyn Any + Send>> {
        self.state.with(|state| state.panic.take())
    }
}
