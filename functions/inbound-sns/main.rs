//! The function `inbound-sns`: receives texts from the topic of AWS End User Messaging.

use std::process::ExitCode;

use countersign_aws::bootstrap::{self, Bootstrap};
use countersign_aws::config::settings;
use countersign_aws::handlers::events;

fn main() -> ExitCode {
    bootstrap::run(
        async |bootstrap: Bootstrap, settings: settings::InboundSns| {
            bootstrap.load_phone_numbers();
            let store = bootstrap.store(settings.table);
            let queue = bootstrap.first_attempts(settings.first_attempts_queue_url);
            Ok(events(bootstrap.inbound_sns(
                store,
                queue,
                settings.inbound_topic_arn,
            )))
        },
    )
}
