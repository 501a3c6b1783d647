//! The function `browser-socket`: the WebSocket over which browsers and phones learn that a login
//! changed.

use std::process::ExitCode;

use countersign_aws::config::settings;
use countersign_aws::handlers::events;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: settings::BrowserSocket| {
        let store = start.store(settings.table);
        let push = start.push(&settings.socket_endpoint);
        Ok(events(start.browser_socket(&store, push)))
    })
}
