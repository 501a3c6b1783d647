//! The function `association-keys`: registers, lists and revokes the keys with which phones prove who
//! confirmed a login, and sets phones up without an app.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings;

fn main() -> ExitCode {
    bootstrap::run(
        async |bootstrap: Bootstrap, settings: settings::AssociationKeys| {
            let store = bootstrap.store_with_apps(settings.table);
            let queue = bootstrap.unconnected_queue(settings.first_attempts_queue_url);
            let viewers = bootstrap.viewers(settings.origin_secret.as_ref()).await?;
            let api = bootstrap.association_key_api(&store, queue, viewers);
            Ok(bootstrap.http(functions::association_keys(api.into())))
        },
    )
}
