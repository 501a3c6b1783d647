//! The function `well-known`: public keys, the API's description, and the not-found answer.

use std::process::ExitCode;

use countersign_api::functions;
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings::WellKnown;
use countersign_aws::signer::LocalKeys;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: WellKnown| {
        let local = LocalKeys {
            keys: settings.local_public_keys.unwrap_or_default().0,
            sign: settings.signs.is_some(),
        };
        let published = settings.published_key_arns.unwrap_or_default().0;
        let signer = bootstrap.published_keys(settings.signing_key_arn, published, local);
        Ok(bootstrap.http(functions::well_known(signer, bootstrap.entropy())))
    })
}
