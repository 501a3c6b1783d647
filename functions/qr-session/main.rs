//! The function `qr-session`: logins by QR code or app link, their link hosts, and the script with both elements.

use std::process::ExitCode;

use countersign_api::{ApiParts, ClientChannel, functions};
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings::Login;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: Login| {
        let store = bootstrap.store_with_apps(settings.table);
        let push = bootstrap.push(&settings.socket_endpoint);
        let queue = bootstrap.first_attempts(settings.first_attempts_queue_url);
        let viewers = bootstrap.viewers(settings.origin_secret.as_ref()).await?;
        let socket_url = settings.socket_url.to_string();
        let client_channel = settings.openid_url.map(|url| ClientChannel {
            service_url: url.to_string(),
            socket_url,
        });
        let api = ApiParts {
            queue,
            client_channel,
            logins: Some(bootstrap.logins(push, &settings.socket_url, viewers)),
            ..bootstrap.api(&store)
        };
        Ok(bootstrap.http(functions::logins(api.into())))
    })
}
