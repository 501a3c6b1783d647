//! Tasks, processes and virtual time, on one thread and from one source of chance.
//!
//! Which of the tasks that can go on goes on is drawn. Time moves only when all of them wait, and
//! then at once to the next instant that somebody waits for.

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

/// A value that the tasks share. They run on one thread; the lock is there because the ports are
/// `Sync`, and nobody ever waits for it.
pub struct Shared<T>(Arc<Mutex<T>>);

impl<T> Shared<T> {
    /// Shares a value.
    pub fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(value)))
    }

    /// Looks at the value, or changes it.
    pub fn with<R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Names a process. What it does dies with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessId(usize);

/// What is outside of every process of ours: callers, providers, the network. Never dies.
pub const OUTSIDE: ProcessId = ProcessId(0);

type TaskId = u64;
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What tasks know of the simulation they run in.
#[derive(Clone)]
pub struct Sim(Shared<State>);

struct State {
    now: Timestamp,
    chance: Chance,
    trace: Trace,
    processes: Vec<Process>,
    /// Tasks that can go on, in the order in which they came to.
    ready: Vec<TaskId>,
    timers: BinaryHeap<wait::Timer>,
    timers_set: u64,
    spawned: Vec<(TaskId, ProcessId, Task)>,
    tasks_spawned: TaskId,
    killed: Vec<ProcessId>,
    /// Who goes on when all others wait.
    idle: Vec<Waker>,
}

struct Process {
    name: String,
    alive: bool,
    mourners: Vec<Waker>,
}

impl Sim {
    /// A simulation that begins at `now`.
    #[must_use]
    pub fn new(chance: Chance, now: Timestamp, trace: Trace) -> Self {
        let outside = Process {
            name: "outside".to_owned(),
            alive: true,
            mourners: Vec::new(),
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

    /// The present, on the clock that is right.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.0.with(|state| state.now)
    }

    /// Draws.
    pub fn draw<R>(&self, draw: impl FnOnce(&mut Chance) -> R) -> R {
        self.0.with(|state| draw(&mut state.chance))
    }

    /// A duration of less than so many milliseconds.
    #[must_use]
    pub fn millis_below(&self, end: u64) -> Duration {
        Duration::from_millis(self.draw(|chance| chance.below(end)))
    }

    /// Writes a line into the trace; `detail` is asked for only where somebody reads it.
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

    /// What the trace came to.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        self.0.with(|state| state.trace.hash())
    }

    /// A new process, not started yet.
    #[must_use]
    pub fn process(&self, name: String) -> ProcessId {
        self.0.with(|state| {
            state.processes.push(Process {
                name,
                alive: false,
                mourners: Vec::new(),
            });
            ProcessId(state.processes.len() - 1)
        })
    }

    /// Starts a process, with nothing in its memory.
    pub fn start(&self, process: ProcessId) {
        self.0.with(|state| state.processes[process.0].alive = true);
        self.note(process, "started", String::new);
    }

    /// Whether a process runs.
    #[must_use]
    pub fn is_alive(&self, process: ProcessId) -> bool {
        self.0.with(|state| state.processes[process.0].alive)
    }

    /// Runs a task in a process, if that is alive.
    pub fn spawn(&self, process: ProcessId, task: impl Future<Output = ()> + Send + 'static) {
        let task: Task = Box::pin(task);
        let stillborn = self.0.with(|state| {
            if !state.processes[process.0].alive {
                return Some(task);
            }
            state.tasks_spawned += 1;
            state.spawned.push((state.tasks_spawned, process, task));
            None
        });
        // Dropping it may wake others, so it is dropped where nothing is locked.
        drop(stillborn);
    }

    /// Ends a process and every task in it: none of them takes another step.
    pub fn kill(&self, process: ProcessId) {
        self.0.with(|state| {
            if std::mem::take(&mut state.processes[process.0].alive) {
                state.killed.push(process);
            }
        });
        self.note(process, "died", String::new);
    }
}
