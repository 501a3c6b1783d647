//! The function `confirm`: `POST /make-confirmation`.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::config::settings::Confirming;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: Confirming| {
        start.load_phone_numbers();
        let store = start.store_with_apps(settings.table);
        let api = start.api(&store, settings.times);
        Ok(start.http(functions::confirm(api.into())))
    })
}
