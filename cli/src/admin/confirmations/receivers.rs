//! How well the receivers of an app's webhooks answer.

use countersign_domain::confirmation::Status;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::delivery::{AttemptResult, ReceiverSummary, ReceiverTally};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::ConfirmationSearch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use super::FUTURE;
use crate::admin::request::{Answer, Request};
use crate::admin::{Admin, AdminError};
use crate::schema::{Ours, Time};

/// Maximum number of pages that are summed up, of a thousand confirmations each.
const MAX_PAGES: usize = 5;

/// Number of confirmations on a page.
const PAGE: usize = 1_000;

/// Sums up the webhooks of an app's confirmations by receiver: how many arrived or failed, and how long answers took.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowWebhooks {
    /// The app's name.
    #[schemars(with = "String")]
    app: AppId,
    /// The time since which the confirmations were started.
    #[serde_as(as = "DisplayFromStr")]
    #[schemars(with = "Time")]
    since: Timestamp,
}

/// The receivers of an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WebhookSummary {
    /// Those with most failures first.
    receivers: Vec<Receiver>,
    /// Number of confirmations that were looked at.
    examined: usize,
    /// False if older confirmations were not looked at.
    complete: bool,
}

/// A receiver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Receiver {
    origin: String,
    delivered: u64,
    /// Number of webhooks that were given up.
    failed: u64,
    pending: u64,
    /// Milliseconds that half of the answered attempts did not exceed; `None` without an answer.
    p50_ms: Option<u64>,
    p95_ms: Option<u64>,
    last_failure: Option<FailedAttempt>,
}

/// A failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FailedAttempt {
    #[schemars(with = "Time")]
    at: String,
    /// The HTTP status of the answer; `None` without an answer.
    status: Option<u16>,
    /// Why there was no answer, as a stable identifier.
    #[schemars(with = "Option<Ours>")]
    failure: Option<String>,
}

impl From<ReceiverSummary> for Receiver {
    fn from(summary: ReceiverSummary) -> Self {
        let millis =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self {
            origin: summary.origin,
            delivered: summary.delivered,
            failed: summary.failed,
            pending: summary.pending,
            p50_ms: summary.median.map(millis),
            p95_ms: summary.p95.map(millis),
            last_failure: summary.last_failure.map(|attempt| {
                let (status, failure) = match attempt.result {
                    AttemptResult::Answered(status) => (Some(status), None),
                    AttemptResult::NoAnswer(reason) => (None, Some(reason.into_str().to_owned())),
                };
                FailedAttempt {
                    at: attempt.at.to_string(),
                    status,
                    failure,
                }
            }),
        }
    }
}

impl Answer for WebhookSummary {
    fn shorten(&mut self, most: usize) -> usize {
        let omitted = self.receivers.len().saturating_sub(most);
        self.receivers.truncate(most);
        omitted
    }
}

impl Request for ShowWebhooks {
    const NAME: &'static str = "show_webhooks";
    type Answer = WebhookSummary;

    async fn execute(self, admin: &Admin) -> Result<WebhookSummary, AdminError> {
        let app = admin.find_app(&self.app).await?.id.clone();
        let now = admin.clock.now();
        let search = ConfirmationSearch {
            statuses: vec![Status::Verified],
            last_digits: None,
            failed: false,
            no_text: false,
            from: self.since,
            before: now.plus(FUTURE),
        };
        let mut tally = ReceiverTally::default();
        let (mut examined, mut after) = (0, None);
        let mut complete = false;
        for _ in 0..MAX_PAGES {
            let apps = std::slice::from_ref(&app);
            let page = admin
                .store
                .search_confirmations(apps, &search, after.as_ref(), PAGE, now);
            let page = page.await?;
            examined += page.looked_at;
            for item in &page.items {
                if let (Some(callback), Some(delivery)) = (&item.callback, item.delivery()) {
                    let origin = callback.as_url().origin().ascii_serialization();
                    tally.add(&origin, delivery);
                }
            }
            after = page.next;
            complete = after.is_none();
            if complete {
                break;
            }
        }
        let receivers = tally.end().into_iter().map(Receiver::from).collect();
        Ok(WebhookSummary {
            receivers,
            examined,
            complete,
        })
    }
}
