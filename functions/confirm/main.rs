//! The function `confirm`: `POST /make-confirmation`.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::settings::Sessions;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: Sessions| {
        start.knows_phone_numbers();
        let store = start.store(settings.table);
        let api = start.api(&store, settings.times);
        Ok(start.http(functions::confirm(api.into())))
    })
}
