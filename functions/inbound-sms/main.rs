//! The function `inbound-sms`: `POST /inbound-sms/{provider}`, texts that SMS providers post.

use std::process::ExitCode;

use countersign_api::{ApiParts, InboundParts, functions};
use countersign_aws::config::settings::InboundSms;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: InboundSms| {
        start.load_phone_numbers();
        let store = start.store(settings.table);
        let api = ApiParts {
            queue: start.first_attempts(settings.first_attempts),
            inbound: InboundParts::fixed(start.inbound_secrets(&settings.secrets).await?),
            ..start.api(&store, settings.times)
        };
        Ok(start.http(functions::inbound_sms(api.into())))
    })
}
