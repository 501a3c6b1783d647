//! The function `origin-check`: refuses requests that did not come through CloudFront.

use std::process::ExitCode;

use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings;
use countersign_aws::handlers::events;

fn main() -> ExitCode {
    bootstrap::run(
        async |bootstrap: Bootstrap, settings: settings::OriginCheck| {
            Ok(events(
                bootstrap.origin_check(&settings.origin_secret).await?,
            ))
        },
    )
}
