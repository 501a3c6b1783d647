//! The log of the test that asks for it.
//!
//! There is one subscriber for all tests, in place before the first request: whether a line is
//! written at all is decided once for the process, when it is first come by, and a subscriber that
//! only one thread has may be overlooked then. What is logged is kept by thread; a test here is
//! one thread.

use std::cell::RefCell;
use std::io::Write;
use std::sync::Once;

use serde_json::Value;

thread_local! {
    static KEPT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Writes into what this thread keeps.
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

/// Begins to keep what is logged, and forgets what this thread's last test logged.
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

/// All that was logged since the test's host was made, by this crate and those below it.
pub(crate) fn text() -> String {
    KEPT.with_borrow(|kept| String::from_utf8(kept.clone()).unwrap())
}

/// The lines that this test's requests have.
pub(crate) fn lines() -> Vec<Value> {
    text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["target"].as_str().unwrap().starts_with("countersign"))
        .collect()
}
