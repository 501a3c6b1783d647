//! Sending an app's failed webhooks again, in a bounded number.

use std::time::Duration;

use clap::Args;
use countersign_domain::confirmation::transitions::RedeliverOutcome;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::ConfirmationSearch;
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use super::FUTURE;
use crate::admin::request::{Answer, Request};
use crate::admin::{Admin, AdminError};

/// Maximum number of webhooks that one request sends again, so that a receiver that has just recovered is not flooded.
pub(super) const MAX_REDELIVERED: usize = 200;

/// Maximum number of pages that are searched, of a thousand confirmations each.
const MAX_PAGES: usize = 10;

/// Time after which the request goes on no further: browsers and proxies wait no longer than half a minute.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// Sends webhooks again that were given up.
#[serde_as]
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RedeliverFailed {
    /// The app's name
    #[arg(long)]
    pub(crate) app: AppId,
    /// The time since which the confirmations were started
    #[arg(long, value_name = "TIME")]
    #[serde_as(as = "DisplayFromStr")]
    pub(crate) since: Timestamp,
}

/// The number of webhooks that are sent again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RedeliveryCount {
    redelivered: usize,
    /// Number of failed webhooks that were found beyond the bound: repeat the request.
    left_out: usize,
    /// Number of failed webhooks that cannot be sent again: the data was erased, or an attempt is under way.
    skipped: usize,
    /// Number of confirmations that were looked at.
    examined: usize,
    /// False if older confirmations were not looked at.
    complete: bool,
}

impl Answer for RedeliveryCount {
    fn text(&self) -> String {
        let Self {
            redelivered,
            left_out,
            skipped,
            examined,
            complete,
        } = self;
        let mut lines = vec![format!("{redelivered} webhooks are sent again.")];
        if *skipped > 0 {
            lines.push(format!(
                "{skipped} cannot be: their data was erased, or an attempt is under way."
            ));
        }
        if *left_out > 0 {
            lines.push(format!(
                "{left_out} more have failed. Repeat the command when these are through."
            ));
        }
        if !complete {
            lines.push(format!(
                "Only the newest {examined} confirmations were looked at. Repeat the command for older ones."
            ));
        }
        lines.join("\n")
    }
}

impl Request for RedeliverFailed {
    const NAME: &'static str = "redeliver_failed";
    const CHANGES: bool = true;
    type Answer = RedeliveryCount;

    async fn execute(self, admin: &Admin) -> Result<RedeliveryCount, AdminError> {
        let app = admin.find_app(&self.app).await?.id.clone();
        let began_at = admin.clock.now();
        let search = ConfirmationSearch {
            statuses: Vec::new(),
            last_digits: None,
            failed: true,
            no_text: false,
            from: self.since,
            before: began_at.plus(FUTURE),
        };
        let mut answer = RedeliveryCount {
            redelivered: 0,
            left_out: 0,
            skipped: 0,
            examined: 0,
            complete: false,
        };
        let mut after = None;
        for _ in 0..MAX_PAGES {
            let page = admin.store.search_confirmations(
                std::slice::from_ref(&app),
                &search,
                after.as_ref(),
                MAX_REDELIVERED,
                began_at,
            );
            let page = page.await?;
            answer.examined += page.looked_at;
            for item in page.items {
                let is_late = admin.clock.now().since(began_at) > TIME_LIMIT;
                if answer.redelivered >= MAX_REDELIVERED || is_late {
                    answer.left_out += 1;
                    continue;
                }
                match admin.redeliver(item.id, &app).await? {
                    RedeliverOutcome::Pending { .. } => answer.redelivered += 1,
                    RedeliverOutcome::NotVerified(_)
                    | RedeliverOutcome::InFlight
                    | RedeliverOutcome::Redacted
                    | RedeliverOutcome::NoWebhook
                    | RedeliverOutcome::Unknown => answer.skipped += 1,
                }
            }
            after = page.next;
            answer.complete = after.is_none();
            if answer.complete || admin.clock.now().since(began_at) > TIME_LIMIT {
                break;
            }
        }
        Ok(answer)
    }
}
