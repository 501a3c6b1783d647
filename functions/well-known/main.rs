//! The function `well-known`: public keys, the API's description, and every path that is no route.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::settings::WellKnown;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: WellKnown| {
        let signer = start.signer(settings.signing_key, settings.published_keys);
        Ok(start.http(functions::well_known(signer, start.entropy())))
    })
}
