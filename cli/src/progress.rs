//! Progress of long operations, on a terminal.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Interval between displays of a file's size.
const INTERVAL: Duration = Duration::from_millis(500);

/// Number of documents between two progress lines.
const STEP: u64 = 10_000;

fn show(text: &str) {
    // Ignores a failure to show progress.
    let _ = write!(io::stderr(), "\r{text} ");
}

/// Shows the number of documents processed.
pub(crate) fn of_documents() -> impl FnMut(u64) {
    let is_terminal = io::stderr().is_terminal();
    move |done| {
        if is_terminal && done % STEP == 0 {
            show(&format!("{done} documents"));
        }
    }
}

/// Shows the size of a file that `work` writes.
pub(crate) fn of_file<T>(file: &Path, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        return work();
    }
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let shown = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                std::thread::park_timeout(INTERVAL);
                let bytes = fs::metadata(file).map_or(0, |file| file.len());
                show(&format!("{} MiB", bytes >> 20));
            }
        });
        let outcome = work();
        done.store(true, Ordering::Relaxed);
        shown.thread().unpark();
        outcome
    })
}
