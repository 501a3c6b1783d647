//! The function `dispatcher`: delivers webhooks.

use std::process::ExitCode;

use countersign_aws::config::settings;
use countersign_aws::handlers::events;
use countersign_aws::start::{self, Outgoing, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: settings::Dispatcher| {
        let store = start.store(settings.table);
        let queue = start.queues(
            settings.first_attempts_queue_url,
            settings.retries_queue_url,
        );
        let signer = start.signer(
            settings.signing_key_arn,
            settings.local_key.zip(settings.local_key_wrapper_arn),
        );
        let secrets = start.webhook_secrets(settings.webhook_secret).await?;
        let sender = start.sender()?;
        let (lookup, most) = (settings.carrier_lookup, settings.carrier_lookups_per_day);
        let carriers = start.carriers(lookup.as_ref(), most, &sender).await;
        let outgoing = Outgoing {
            signer,
            secrets,
            sender,
            carriers,
            push: start.push(&settings.socket_endpoint),
        };
        Ok(events(start.dispatcher(store, queue, outgoing)))
    })
}
