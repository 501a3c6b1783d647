//! The function `sweeper`: every minute, finds due webhooks without a queue message.

use std::process::ExitCode;

use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings;
use countersign_aws::handlers::events;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: settings::Sweeper| {
        let store = bootstrap.store_and_due_index(settings.table);
        let sweeper = bootstrap.sweeper(
            store,
            settings.first_attempts_queue_url,
            settings.retries_queue_url,
        );
        Ok(events(sweeper))
    })
}
