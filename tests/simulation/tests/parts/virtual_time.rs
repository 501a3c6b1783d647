//! Parts of simulations that use tokio's paused clock.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use countersign_domain::delivery::sender::WebhookRequest;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The times at which webhooks first arrived at working receivers, by webhook id.
#[derive(Default)]
pub(crate) struct Arrivals {
    at: Mutex<HashMap<String, Instant>>,
    rings: Notify,
}

impl Arrivals {
    pub(crate) fn note(&self, request: &WebhookRequest) {
        let id = request.webhook_id.as_str().to_owned();
        let mut arrived = self.at.lock().unwrap();
        arrived.entry(id).or_insert_with(Instant::now);
        drop(arrived);
        self.rings.notify_waiters();
    }

    /// Waits for a webhook, and returns when it arrived.
    pub(crate) async fn wait_for(&self, webhook: &str) -> Instant {
        loop {
            let rung = self.rings.notified();
            if let Some(at) = self.at.lock().unwrap().get(webhook) {
                return *at;
            }
            // Prevents the test from hanging. The timeout is in virtual time.
            tokio::time::timeout(Duration::from_hours(48), rung)
                .await
                .expect("a webhook to a healthy receiver never arrived");
        }
    }
}
