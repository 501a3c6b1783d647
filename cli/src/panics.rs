//! Counts and logs panics.

use std::sync::Arc;

use crate::metrics::{Counters, ServerEvent};

/// Counts every panic of this process from now on, and logs where it happened.
///
/// Omits the message, which may quote input such as codes and tokens. The standard hook would print
/// it, and would write to standard error, which may block.
pub(crate) fn report_to(counters: Arc<Counters>) {
    std::panic::set_hook(Box::new(move |panic| {
        counters.count_server(ServerEvent::Panicked, 1);
        let at = panic.location().map(tracing::field::display);
        tracing::error!(at, "panicked");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_counted() {
        let counters = Arc::new(Counters::new().unwrap());
        let usual = std::panic::take_hook();
        report_to(Arc::clone(&counters));
        let panicked = std::panic::catch_unwind(|| panic!("counted, and not shown"));
        std::panic::set_hook(usual);
        assert!(panicked.is_err());
        let events = counters.snapshot().events;
        let count = events.iter().find(|count| count.name == "panicked");
        // Other tests may panic on purpose at the same time.
        assert!(count.unwrap().count >= 1);
    }
}
