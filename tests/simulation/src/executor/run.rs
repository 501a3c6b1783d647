use std::collections::BTreeMap;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use countersign_domain::primitives::time::Timestamp;

use super::{ProcessId, Sim, Task, TaskId};

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// No task can ever continue.
    Quiet,
    /// The `stop` function returned true.
    Stopped,
    /// Tasks still wait for times after the bound.
    TooLate,
}

/// Runs the tasks of a simulation.
pub struct Executor {
    sim: Sim,
    tasks: BTreeMap<TaskId, Running>,
}

struct Running {
    process: ProcessId,
    task: Task,
    waker: Waker,
}

struct Ready {
    sim: Sim,
    task: TaskId,
}

impl Wake for Ready {
    fn wake(self: Arc<Self>) {
        self.sim.0.with(|state| {
            if !state.ready.contains(&self.task) {
                state.ready.push(self.task);
            }
        });
    }
}

impl Executor {
    /// Creates an executor for a simulation.
    #[must_use]
    pub const fn new(sim: Sim) -> Self {
        Self {
            sim,
            tasks: BTreeMap::new(),
        }
    }

    /// Runs until nothing is left to do, `stop` returns true after a step, or the time would exceed
    /// `bound`.
    pub fn run(&mut self, bound: Timestamp, mut stop: impl FnMut() -> bool) -> Ended {
        loop {
            self.take_in();
            if let Some(task) = self.draw_ready() {
                self.step(task);
                self.drop_killed();
                if stop() {
                    return Ended::Stopped;
                }
                continue;
            }
            let idle = self.sim.0.with(|state| state.idle.pop());
            if let Some(waker) = idle {
                waker.wake();
                continue;
            }
            match self.next_instant() {
                None => return Ended::Quiet,
                Some(at) if at > bound => return Ended::TooLate,
                Some(at) => self.move_to(at),
            }
        }
    }

    /// Adds the tasks that were spawned.
    fn take_in(&mut self) {
        let spawned = self.sim.0.with(|state| std::mem::take(&mut state.spawned));
        for (id, process, task) in spawned {
            let waker = Waker::from(Arc::new(Ready {
                sim: self.sim.clone(),
                task: id,
            }));
            waker.wake_by_ref();
            let running = Running {
                process,
                task,
                waker,
            };
            self.tasks.insert(id, running);
        }
    }

    fn draw_ready(&self) -> Option<TaskId> {
        self.sim.0.with(|state| {
            let count = u64::try_from(state.ready.len()).unwrap_or(u64::MAX);
            if count == 0 {
                return None;
            }
            let drawn = usize::try_from(state.chance.below(count)).unwrap_or(0);
            Some(state.ready.remove(drawn))
        })
    }

    fn step(&mut self, id: TaskId) {
        let Some(running) = self.tasks.get_mut(&id) else {
            return;
        };
        let mut context = Context::from_waker(&running.waker);
        if running.task.as_mut().poll(&mut context) == Poll::Ready(()) {
            self.tasks.remove(&id);
        }
    }

    /// Drops the tasks of processes that died, and wakes the tasks that wait for their death.
    fn drop_killed(&mut self) {
        let killed = self.sim.0.with(|state| std::mem::take(&mut state.killed));
        for process in killed {
            self.take_in();
            self.tasks.retain(|_, running| running.process != process);
            let death_wakers = self
                .sim
                .0
                .with(|state| std::mem::take(&mut state.processes[process.0].death_wakers));
            death_wakers.into_iter().for_each(Waker::wake);
        }
    }

    fn next_instant(&self) -> Option<Timestamp> {
        self.sim
            .0
            .with(|state| state.timers.peek().map(|timer| timer.at))
    }

    /// Advances the time and wakes the tasks that waited for it.
    fn move_to(&self, at: Timestamp) {
        let due = self.sim.0.with(|state| {
            state.now = state.now.max(at);
            let mut due = Vec::new();
            while state.timers.peek().is_some_and(|timer| timer.at <= at) {
                due.extend(state.timers.pop());
            }
            due
        });
        for timer in due {
            timer.waker.wake();
        }
    }
}

impl Drop for Executor {
    /// Breaks the reference cycle between the wakers and the simulation.
    fn drop(&mut self) {
        self.tasks.clear();
        let left = self.sim.0.with(|state| {
            state.ready.clear();
            let wakers = state
                .processes
                .iter_mut()
                .flat_map(|p| p.death_wakers.drain(..));
            let wakers: Vec<Waker> = wakers.chain(state.idle.drain(..)).collect();
            let timers = std::mem::take(&mut state.timers);
            (wakers, timers, std::mem::take(&mut state.spawned))
        });
        drop(left);
    }
}
