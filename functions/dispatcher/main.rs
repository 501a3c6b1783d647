//! The function `dispatcher`: delivers webhooks.

use std::process::ExitCode;

use countersign_aws::bootstrap::{self, Bootstrap, DispatcherPorts};
use countersign_aws::config::settings;
use countersign_aws::handlers::events;

fn main() -> ExitCode {
    bootstrap::run(
        async |bootstrap: Bootstrap, settings: settings::Dispatcher| {
            let store = bootstrap.store(settings.table);
            let queue = bootstrap.queues(
                settings.first_attempts_queue_url,
                settings.retries_queue_url,
            );
            let signer = bootstrap.signer(
                settings.signing_key_arn,
                settings.local_key.zip(settings.local_key_wrapper_arn),
            );
            let secrets = bootstrap.webhook_secrets(settings.webhook_secret).await?;
            let sender = bootstrap.sender()?;
            let (lookup, most) = (settings.carrier_lookup, settings.carrier_lookups_per_day);
            let carriers = bootstrap.carriers(lookup.as_ref(), most, &sender).await;
            let outgoing = DispatcherPorts {
                signer,
                secrets,
                sender,
                carriers,
                push: bootstrap.push(&settings.socket_endpoint),
            };
            Ok(events(bootstrap.dispatcher(store, queue, outgoing)))
        },
    )
}
