//! The function `browser-socket`: the WebSocket that notifies browsers and phones of changes to a
//! login.

use std::process::ExitCode;

use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings;
use countersign_aws::handlers::events;

fn main() -> ExitCode {
    bootstrap::run(
        async |bootstrap: Bootstrap, settings: settings::BrowserSocket| {
            let store = bootstrap.store(settings.table);
            let push = bootstrap.push(&settings.socket_endpoint);
            Ok(events(bootstrap.browser_socket(&store, push)))
        },
    )
}
