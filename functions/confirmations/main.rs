//! The function `confirmations`: reads, cancels, redacts and redelivers confirmations.

use std::process::ExitCode;

use countersign_api::{ApiParts, functions};
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings::Confirmations;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: Confirmations| {
        let store = bootstrap.store_with_apps(settings.table);
        let api = ApiParts {
            queue: bootstrap.queues(
                settings.first_attempts_queue_url,
                settings.retries_queue_url,
            ),
            ..bootstrap.api(&store)
        };
        Ok(bootstrap.http(functions::confirmations(api.into())))
    })
}
