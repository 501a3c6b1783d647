//! The function `confirm`: `POST /make-confirmation`.

use std::process::ExitCode;

use countersign_api::{ApiParts, functions};
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings::Confirm;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: Confirm| {
        bootstrap.load_phone_numbers();
        let store = bootstrap.store_with_apps(settings.table);
        let api = ApiParts {
            queue: bootstrap.unconnected_queue(settings.first_attempts_queue_url),
            ..bootstrap.confirmation_api(&store, &settings.public_url, &settings.socket_url)
        };
        Ok(bootstrap.http(functions::confirm(api.into())))
    })
}
