//! The function `confirmations`: status, cancel, redact and redeliver.

use std::process::ExitCode;

use countersign_api::{ApiParts, functions};
use countersign_aws::config::settings::Confirmations;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: Confirmations| {
        let store = start.store_with_apps(settings.table);
        let api = ApiParts {
            queue: start.queues(
                settings.first_attempts_queue_url,
                settings.retries_queue_url,
            ),
            ..start.api(&store)
        };
        Ok(start.http(functions::confirmations(api.into())))
    })
}
