//! The function `association-keys`: registers, lists and revokes the keys with which phones prove who
//! confirmed a login.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings;

fn main() -> ExitCode {
    bootstrap::run(
        async |bootstrap: Bootstrap, settings: settings::AssociationKeys| {
            let store = bootstrap.store_with_apps(settings.table);
            let api = bootstrap.association_key_api(&store);
            Ok(bootstrap.http(functions::association_keys(api.into())))
        },
    )
}
