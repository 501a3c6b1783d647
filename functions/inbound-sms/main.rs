//! The function `inbound-sms`: `/inbound-sms/{provider}`, which receives texts from SMS providers.

use std::process::ExitCode;

use countersign_api::{ApiParts, InboundParts, functions};
use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings::InboundSms;

fn main() -> ExitCode {
    bootstrap::run(async |bootstrap: Bootstrap, settings: InboundSms| {
        bootstrap.load_phone_numbers();
        let store = bootstrap.store(settings.table);
        let queue = bootstrap.first_attempts(settings.first_attempts_queue_url);
        let inbound = bootstrap.inbound(settings.inbound_secrets, settings.public_url);
        let api = ApiParts {
            inbound: InboundParts {
                pages: Some(queue.clone()),
                ..inbound.await?
            },
            queue,
            ..bootstrap.api(&store)
        };
        Ok(bootstrap.http(functions::inbound_sms(api.into())))
    })
}
