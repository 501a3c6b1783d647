//! The function `confirm`: `POST /make-confirmation`.

use std::process::ExitCode;

use countersign_api::{ApiParts, functions};
use countersign_aws::config::settings::Confirm;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: Confirm| {
        start.load_phone_numbers();
        let store = start.store_with_apps(settings.table);
        let api = ApiParts {
            queue: start.unconnected_queue(settings.first_attempts_queue_url),
            ..start.confirmation_api(&store, &settings.public_url, &settings.socket_url)
        };
        Ok(start.http(functions::confirm(api.into())))
    })
}
