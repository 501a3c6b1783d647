//! The function `sweeper`: finds pending webhooks each minute that no queue brings.

use std::process::ExitCode;

use countersign_aws::config::settings;
use countersign_aws::handlers::events;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: settings::Sweeper| {
        let store = start.store_and_due_index(settings.table);
        let sweeper = start.sweeper(
            store,
            settings.first_attempts_queue_url,
            settings.retries_queue_url,
        );
        Ok(events(sweeper))
    })
}
