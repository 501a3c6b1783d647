//! The function `inbound-sms`: `/inbound-sms/{provider}`, texts that SMS providers hand in.

use std::process::ExitCode;

use countersign_api::{ApiParts, InboundParts, functions};
use countersign_aws::config::settings::InboundSms;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: InboundSms| {
        start.load_phone_numbers();
        let store = start.store(settings.table);
        let queue = start.first_attempts(settings.first_attempts_queue_url);
        let inbound = start.inbound(settings.inbound_secrets, settings.public_url);
        let api = ApiParts {
            inbound: InboundParts {
                pages: Some(queue.clone()),
                ..inbound.await?
            },
            queue,
            ..start.api(&store)
        };
        Ok(start.http(functions::inbound_sms(api.into())))
    })
}
