//! When the fakes answer: at once, or once the function waits.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for a function to sleep. One that is still busy then is answered all the same.
const TIMEOUT: Duration = Duration::from_mins(1);

/// When the fakes answer. Clones are one pace.
///
/// Whether an answer is there before the function looks for it decides how many system calls the
/// function makes: one that finds nothing has to wait and look again. On Lambda answers take
/// milliseconds, so a function always waits. A count has to have it so as well, or it would depend on
/// the speed of the machine.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<AtomicU32>);

impl Pace {
    /// From now on, answers only while every thread of this process sleeps.
    pub fn follow(&self, process: u32) {
        self.0.store(process, Ordering::SeqCst);
    }

    /// Waits until it is time to answer.
    pub fn wait(&self) {
        let process = self.0.load(Ordering::SeqCst);
        if process == 0 {
            return;
        }
        let start = Instant::now();
        while !sleeps(process) && start.elapsed() < TIMEOUT {
            thread::yield_now();
        }
    }
}

/// Returns whether every thread of a process sleeps. One that has ended sleeps, too.
fn sleeps(process: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else {
        return true;
    };
    threads.flatten().all(|thread| {
        let status = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The name before it is in parentheses, and may contain spaces.
        let state = status
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        matches!(state, Some('S' | 'Z' | 'X') | None)
    })
}
