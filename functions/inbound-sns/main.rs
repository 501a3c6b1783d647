//! The function `inbound-sns`: texts from the topic of AWS End User Messaging.

use std::process::ExitCode;

use countersign_aws::config::settings;
use countersign_aws::handlers::events;
use countersign_aws::start::{self, Start};

fn main() -> ExitCode {
    start::run(async |start: Start, settings: settings::InboundSns| {
        start.load_phone_numbers();
        let store = start.store(settings.table);
        let queue = start.first_attempts(settings.first_attempts_queue_url);
        Ok(events(start.inbound_sns(
            store,
            queue,
            settings.inbound_topic_arn,
        )))
    })
}
