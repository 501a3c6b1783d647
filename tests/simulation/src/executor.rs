//! Tasks, processes and virtual time, on one thread and with one source of randomness.
//!
//! The executor randomly selects which of the ready tasks runs next. Time only moves when all tasks
//! wait. It then jumps to the earliest time for which a task waits.

mod run;
mod wait;

use std::collections::BinaryHeap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Waker;
use std::time::Duration;

use countersign_conformance::chance::Chance;
use countersign_domain::primitives::time::Timestamp;

use crate::trace::Trace;
pub use run::{Ended, Executor};
pub use wait::{Reply, Replying, reply};

/// A value that the tasks share. All tasks run on one thread, so nothing ever waits for the lock. It
/// exists because the ports are `Sync`.
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

/// The process for everything outside our service: callers, providers, the network. It never dies.
pub const OUTSIDE: ProcessId = ProcessId(0);

type TaskId = u64;
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A handle to the simulation, for its tasks.
#[derive(Clone)]
pub struct Sim(Shared<State>);

struct State {
    now: Timestamp,
    chance: Chance,
    trace: Trace,
    processes: Vec<Process>,
    /// Tasks that can run, in the order in which they were woken.
    ready: Vec<TaskId>,
    timers: BinaryHeap<wait::Timer>,
    timers_set: u64,
    spawned: Vec<(TaskId, ProcessId, Task)>,
    tasks_spawned: TaskId,
    killed: Vec<ProcessId>,
    /// Tasks that run when all others wait.
    idle: Vec<Waker>,
}

struct Process {
    name: String,
    alive: bool,
    death_wakers: Vec<Waker>,
}

impl Sim {
    /// Creates a simulation that begins at `now`.
    #[must_use]
    pub fn new(chance: Chance, now: Timestamp, trace: Trace) -> Self {
        let outside = Process {
            name: "outside".to_owned(),
            alive: true,
            death_wakers: Vec::new(),
        };
        Self(Shared::new(State {
            now,
            chance,
            trace,
            processes: vec![outside],
            ready: Vec::new(),
            timers: BinaryHeap::new(),
            timers_set: 0,
            spawned: Vec::new(),
            tasks_spawned: 0,
            killed: Vec::new(),
            idle: Vec::new(),
        }))
    }

    /// Returns the current time, without any clock skew.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.0.with(|state| state.now)
    }

    /// Draws from the simulation's randomness.
    pub fn draw<R>(&self, draw: impl FnOnce(&mut Chance) -> R) -> R {
        self.0.with(|state| draw(&mut state.chance))
    }

    /// Draws a duration shorter than `end` milliseconds.
    #[must_use]
    pub fn millis_below(&self, end: u64) -> Duration {
        Duration::from_millis(self.draw(|chance| chance.below(end)))
    }

    /// Writes a line into the trace. `detail` is only called if the trace has a reader.
    pub fn note(&self, process: ProcessId, what: &'static str, detail: impl FnOnce() -> String) {
        self.0.with(|state| {
            let State {
                trace,
                processes,
                now,
                ..
            } = state;
            trace.note(*now, process.0, &processes[process.0].name, what, detail);
        });
    }

    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        self.0.with(|state| state.trace.hash())
    }

    /// Creates a process without starting it.
    #[must_use]
    pub fn process(&self, name: String) -> ProcessId {
        self.0.with(|state| {
            state.processes.push(Process {
                name,
                alive: false,
                death_wakers: Vec::new(),
            });
            ProcessId(state.processes.len() - 1)
        })
    }

    /// Starts a process with empty memory.
    pub fn start(&self, process: ProcessId) {
        self.0.with(|state| state.processes[process.0].alive = true);
        self.note(process, "started", String::new);
    }

    /// Returns whether a process is running.
    #[must_use]
    pub fn is_alive(&self, process: ProcessId) -> bool {
        self.0.with(|state| state.processes[process.0].alive)
    }

    /// Runs a task in a process, if the process is alive.
    pub fn spawn(&self, process: ProcessId, task: impl Future<Output = ()> + Send + 'static) {
        let task: Task = Box::pin(task);
        let rejected = self.0.with(|state| {
            if !state.processes[process.0].alive {
                return Some(task);
            }
            state.tasks_spawned += 1;
            state.spawned.push((state.tasks_spawned, process, task));
            None
        });
        // Dropping the task may wake other tasks, so it is dropped while nothing is locked.
        drop(rejected);
    }

    /// Kills a process. Its tasks take no further steps.
    pub fn kill(&self, process: ProcessId) {
        self.0.with(|state| {
            if std::mem::take(&mut state.processes[process.0].alive) {
                state.killed.push(process);
            }
        });
        self.note(process, "died", String::new);
    }
}
