//! The parts that answers about confirmations and about logins share.

use std::fmt::Display;
use std::sync::Arc;

use countersign_domain::app::App;
use countersign_domain::delivery::{AttemptResult, Delivery, Progress};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{SearchCursor, SearchPage};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::request::{Answer, Item};
use super::sentence::{Values, values};
use super::{Admin, AdminError};
use crate::schema::{OurObject, Ours, Time};

/// Largest number of items on a page.
pub(crate) const MAX_LIMIT: usize = 100;

/// Number of items on a page, if the request does not say.
pub(super) const LIMIT: usize = 50;

/// The remark in the story of a session that a test key started.
pub(super) const TEST_KEY: &str = "With a test key";

/// A page of a search, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Found<T> {
    pub(crate) items: Vec<T>,
    /// Where the next page begins; `None` after the last one.
    #[schemars(with = "Option<Ours>")]
    pub(crate) next: Option<String>,
    /// The number of items that were looked at.
    pub(crate) examined: usize,
    /// False if more may follow, even if this page is empty.
    pub(crate) complete: bool,
    pub(crate) left_out: usize,
}

impl<T> Found<T> {
    pub(super) fn of<S>(page: SearchPage<S>, show: impl FnMut(S) -> T) -> Self {
        Self {
            complete: page.next.is_none(),
            next: page.next.map(|cursor: SearchCursor| cursor.to_string()),
            examined: page.looked_at,
            left_out: page.left_out,
            items: page.items.into_iter().map(show).collect(),
        }
    }

    /// Returns the answer to a search by id.
    pub(super) fn one(item: Option<T>) -> Self {
        Self {
            examined: 1,
            ..Self::all(item.into_iter().collect())
        }
    }

    /// Returns an answer that is complete.
    pub(super) const fn all(items: Vec<T>) -> Self {
        Self {
            examined: items.len(),
            items,
            next: None,
            complete: true,
            left_out: 0,
        }
    }
}

impl<T: Item + DeserializeOwned> Answer for Found<T> {
    fn text(&self) -> String {
        let shown = if self.items.is_empty() {
            T::EMPTY.to_owned()
        } else {
            T::table(&self.items)
        };
        match &self.next {
            Some(next) => format!("{shown}\n\nMore may follow: --after '{next}'"),
            None => shown,
        }
    }

    fn left_out(&self) -> usize {
        self.left_out
    }

    fn shorten(&mut self, items: usize) -> usize {
        let omitted = self.items.len().saturating_sub(items);
        self.items.truncate(items);
        omitted
    }
}

/// Something that happened to a confirmation or a login, or is bound to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Moment {
    /// UTC, ISO 8601 with milliseconds.
    #[schemars(with = "Time")]
    pub(crate) at: String,
    /// A stable name.
    #[schemars(with = "Ours")]
    pub(crate) kind: String,
    #[schemars(with = "Ours")]
    pub(crate) title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) detail: Option<String>,
    /// The values in title and detail.
    #[schemars(with = "OurObject")]
    #[serde(default, skip_serializing_if = "Values::is_empty")]
    pub(crate) values: Values,
}

/// The story of a confirmation or a login while it is collected.
#[derive(Debug, Default)]
pub(super) struct Story(Vec<(Timestamp, Moment)>);

impl Story {
    pub(super) fn add(
        &mut self,
        at: Timestamp,
        kind: &str,
        title: impl Into<String>,
        detail: Option<String>,
    ) {
        self.add_with(at, kind, title, detail, []);
    }

    pub(super) fn add_with<const N: usize>(
        &mut self,
        at: Timestamp,
        kind: &str,
        title: impl Into<String>,
        detail: Option<String>,
        given: [(&str, &dyn Display); N],
    ) {
        let moment = Moment {
            at: at.to_string(),
            kind: kind.to_owned(),
            title: title.into(),
            detail,
            values: values(given),
        };
        self.0.push((at, moment));
    }

    /// Adds the attempts to deliver a webhook, and the next one if it is pending.
    pub(super) fn add_delivery(&mut self, delivery: &Delivery) {
        for attempt in &delivery.attempts {
            let number = attempt.number;
            let refusal = delivery.refusal.as_ref();
            let refusal = refusal.filter(|refusal| refusal.attempt == number);
            let took = format!("{} ms", attempt.duration.as_millis());
            let detail = refusal.map_or_else(
                || took.clone(),
                |refusal| format!("{took}: {}", refusal.body),
            );
            match attempt.result {
                AttemptResult::Answered(status) => {
                    let (kind, what) = if attempt.result.is_success() {
                        ("attempt_succeeded", "the receiver accepted it with")
                    } else {
                        ("attempt_failed", "the receiver answered")
                    };
                    let title = format!("Attempt {number}: {what} {status}");
                    let values: [(&str, &dyn Display); 2] =
                        [("attempt", &number), ("status", &status)];
                    self.add_with(attempt.at, kind, title, Some(detail), values);
                }
                AttemptResult::NoAnswer(reason) => {
                    let failure = reason.into_str();
                    let title = format!("Attempt {number}: no answer ({failure})");
                    let values: [(&str, &dyn Display); 2] =
                        [("attempt", &number), ("failure", &failure)];
                    self.add_with(attempt.at, "attempt_failed", title, Some(detail), values);
                }
            }
        }
        match delivery.progress {
            Progress::Pending {
                next_attempt_at, ..
            } => {
                let number = delivery.attempts_claimed + 1;
                let title = format!("Attempt {number} follows");
                let values: [(&str, &dyn Display); 1] = [("attempt", &number)];
                self.add_with(next_attempt_at, "attempt_pending", title, None, values);
            }
            Progress::Failed { at } => {
                let detail = "Repair the receiver, then redeliver the webhook.".to_owned();
                let title = "The webhook was given up";
                self.add(at, "delivery_failed", title, Some(detail));
            }
            Progress::Delivered { .. } => {}
        }
    }

    /// Returns the moments, oldest first.
    pub(super) fn end(mut self) -> Vec<Moment> {
        self.0.sort_by_key(|(at, _)| *at);
        self.0.into_iter().map(|(_, moment)| moment).collect()
    }
}

/// Returns the name of a delivery's status.
pub(super) const fn delivery_status(delivery: &Delivery) -> &'static str {
    match delivery.progress {
        Progress::Pending { .. } => "pending",
        Progress::Delivered { .. } => "delivered",
        Progress::Failed { .. } => "failed",
    }
}

impl Admin {
    /// Returns the apps that a request is about: the named one, or all.
    pub(super) async fn named_or_all(
        &self,
        app: Option<&AppId>,
    ) -> Result<Vec<Arc<App>>, AdminError> {
        if let Some(app) = app {
            return Ok(vec![self.find_app(app).await?]);
        }
        Ok(self.store.list_apps().await?.0)
    }

    /// Returns the ids of the apps that a search is about: the named one, or all.
    pub(super) async fn searched_apps(
        &self,
        app: Option<&AppId>,
    ) -> Result<Vec<AppId>, AdminError> {
        let apps = self.named_or_all(app).await?;
        Ok(apps.iter().map(|app| app.id.clone()).collect())
    }

    /// Returns the command that asks the API for something, as the server of its app does.
    pub(super) fn curl(&self, path: &str) -> String {
        let running = self.running.as_ref();
        let url = running.map_or("$COUNTERSIGN_URL", |running| &running.server.url);
        format!("curl -H \"x-api-key: $COUNTERSIGN_API_KEY\" \"{url}{path}\"")
    }
}
