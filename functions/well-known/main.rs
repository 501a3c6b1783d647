//! The function `well-known`: public keys, the API's description, and the not-found answer.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::config::settings::WellKnown;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: WellKnown| {
        let signer = start.signer(settings.signing_key, settings.published_keys.0);
        Ok(start.http(functions::well_known(signer, start.entropy())))
    })
}
