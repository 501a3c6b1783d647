//! The function `qr-session`: logins by QR code or app link, their link hosts, and the script with both elements.

use std::process::ExitCode;

use countersign_api::{ApiParts, functions};
use countersign_aws::config::settings::Login;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: Login| {
        let store = start.store_with_apps(settings.table);
        let push = start.push(&settings.socket_endpoint);
        let queue = start.first_attempts(settings.first_attempts_queue_url);
        let viewers = start.viewers(settings.origin_secret.as_ref()).await?;
        let api = ApiParts {
            queue,
            logins: Some(start.logins(push, &settings.socket_url, viewers)),
            ..start.api(&store)
        };
        Ok(start.http(functions::logins(api.into())))
    })
}
