//! The function `acquire`: `POST /acquire-phone-number`.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::config::settings::Acquire;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: Acquire| {
        let store = start.store_with_apps(settings.table);
        let api = start.confirmation_api(&store, &settings.public_url, &settings.socket_url);
        Ok(start.http(functions::acquire(api.into())))
    })
}
