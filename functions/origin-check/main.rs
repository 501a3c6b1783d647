//! The function `origin-check`: refuses requests that did not come through CloudFront.

use std::process::ExitCode;

use countersign_aws::config::settings;
use countersign_aws::handlers::events;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: settings::OriginCheck| {
        Ok(events(start.origin_check(&settings.origin_secret).await?))
    })
}
