//! The function `association-keys`: registers, lists and revokes the keys with which phones prove who
//! confirmed a login.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::config::settings;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: settings::AssociationKeys| {
        let store = start.store_with_apps(settings.table);
        let api = start.association_key_api(&store);
        Ok(start.http(functions::association_keys(api.into())))
    })
}
