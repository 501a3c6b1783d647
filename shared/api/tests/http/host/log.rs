//! Records the log of each test.
//!
//! All tests share one subscriber, installed before the first request: `tracing` decides once per
//! process whether a line is enabled, and may overlook the subscriber of a single thread. Lines are
//! recorded per thread, and each test runs on one thread.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Once;

use serde_json::Value;

thread_local! {
    static KEPT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes into this thread's record.
struct Keep;

impl Write for Keep {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        KEPT.with_borrow_mut(|kept| kept.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Starts recording, and clears this thread's previous record.
pub(super) fn keep() {
    static INSTALLED: Once = Once::new();
    KEPT.with_borrow_mut(Vec::clear);
    INSTALLED.call_once(|| {
        let subscriber = tracing_subscriber::fmt()
            .json()
            .with_max_level(tracing::Level::TRACE)
            .with_writer(|| Keep)
            .finish();
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
}

/// Returns everything logged since the test's host was created.
pub(crate) fn text() -> String {
    KEPT.with_borrow(|kept| String::from_utf8(kept.clone()).unwrap())
}

/// Returns the lines of this test's requests.
pub(crate) fn lines() -> Vec<Value> {
    text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["target"].as_str().unwrap().starts_with("countersign"))
        .collect()
}
