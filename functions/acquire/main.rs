//! The function `acquire`: `POST /acquire-phone-number`.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings::Acquire;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: Acquire| {
        let store = bootstrap.store_with_apps(settings.table);
        let api = bootstrap.confirmation_api(&store, &settings.public_url, &settings.socket_url);
        Ok(bootstrap.http(functions::acquire(api.into())))
    })
}
