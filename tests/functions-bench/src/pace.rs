//! When the fakes answer: at once, or once everything waits.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for everything to sleep. A function that is still busy then is answered all the same.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Time between two looks at the threads.
const PAUSE: Duration = Duration::from_micros(100);

/// When the fakes answer. Clones are one pace.
///
/// An answer that is there before the function looks for it changes how many system calls the
/// function makes: one that finds nothing has to wait and look again. On Lambda answers take
/// milliseconds, so a function always waits. A count has to have it so as well, or it would depend on
/// the speed of the machine.
#[derive(Clone, Debug, Default)]
pub struct Pace(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// The function's process; zero if the fakes answer at once.
    process: AtomicU32,
    answers: Mutex<()>,
}

/// Permission to answer. No other fake answers while it lives.
#[derive(Debug)]
pub struct Turn<'a>(#[expect(dead_code, reason = "it is held")] Option<MutexGuard<'a, ()>>);

impl Pace {
    /// From now on, answers only while every thread of this process sleeps, and every fake as well: one
    /// that still works may be about to send something, such as the end of a handshake.
    pub fn follow(&self, process: u32) {
        self.0.process.store(process, Ordering::SeqCst);
    }

    /// Waits until it is time to answer.
    #[must_use]
    pub fn turn(&self) -> Turn<'_> {
        let process = self.0.process.load(Ordering::SeqCst);
        if process == 0 {
            return Turn(None);
        }
        // Fakes that wait here for their turn sleep.
        let turn = self
            .0
            .answers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let function = format!("/proc/{process}/task");
        let this = fs::read_link("/proc/thread-self").unwrap_or_default();
        let this = Path::new("/proc").join(this);
        let start = Instant::now();
        let quiet =
            || all_sleep(Path::new(&function), None) && all_sleep(Path::new(OURS), Some(&this));
        while !quiet() && start.elapsed() < TIMEOUT {
            // sleep: the pause between two looks, which leaves the processor to the function.
            thread::sleep(PAUSE);
        }
        Turn(Some(turn))
    }
}

const OURS: &str = "/proc/self/task";

/// Returns whether every thread of a process but one sleeps. One that has ended sleeps, too.
fn all_sleep(threads: &Path, but: Option<&Path>) -> bool {
    let Ok(threads) = fs::read_dir(threads) else {
        return true;
    };
    let but = but.and_then(Path::file_name);
    let mut others = threads
        .flatten()
        .filter(|thread| Some(&*thread.file_name()) != but);
    others.all(|thread| {
        let status = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The name before it is in parentheses, and may contain spaces.
        let state = status.rsplit(") ").next();
        let state = state.and_then(|rest| rest.chars().next());
        matches!(state, Some('S' | 'Z' | 'X') | None)
    })
}
