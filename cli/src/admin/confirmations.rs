//! Searching and showing confirmations, of every app. Numbers are masked.

mod changes;
mod failed;
mod misses;
mod receivers;
mod reveal;
mod timeline;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

pub(crate) use changes::{CancelConfirmation, RedactConfirmation, RedeliverWebhook};
use countersign_domain::confirmation::{Confirmation, Flow, Status};
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{ConfirmationSearch, LastDigits, MalformedDigits, SearchCursor};
pub(crate) use failed::RedeliverFailed;
use misses::Miss;
pub(crate) use receivers::ShowWebhooks;
pub(crate) use reveal::RevealNumber;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_with::{DeserializeFromStr, DisplayFromStr, SerializeDisplay, serde_as};

use super::request::{Answer, Item, Request};
use super::started::{Found, LIMIT, MAX_LIMIT, Moment, delivery_status};
use super::started_refusal::StartedRefusal;
use super::{Admin, AdminError};
use crate::schema::{CallersJson, NameOf, Ours, Time};

/// Time by which another machine's clock may be ahead.
pub(super) const FUTURE: Duration = Duration::from_hours(1);

/// Searches confirmations. What is left out narrows nothing.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct FindConfirmations {
    /// Only those of this app.
    #[schemars(with = "Option<String>")]
    pub(crate) app: Option<AppId>,
    /// Only those in one of these states; in any if empty.
    #[serde_as(as = "Vec<DisplayFromStr>")]
    #[schemars(with = "Vec<NameOf<Status>>")]
    pub(crate) states: Vec<Status>,
    /// Only those whose webhook was given up.
    pub(crate) failed: bool,
    /// Only those with whose code no text came.
    pub(crate) no_text: bool,
    /// Only those that began at this time or later.
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[schemars(with = "Option<Time>")]
    pub(crate) from: Option<Timestamp>,
    /// Only those that began before this time.
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[schemars(with = "Option<Time>")]
    pub(crate) to: Option<Timestamp>,
    /// Only the one with this id.
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[schemars(with = "Option<String>")]
    pub(crate) id: Option<ConfirmationId>,
    /// The end of the number, of which only the last four digits count.
    #[schemars(with = "Option<String>")]
    pub(crate) digits: Option<EnteredDigits>,
    /// Where the page begins: `next` of the page before.
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[schemars(with = "Option<String>")]
    pub(crate) after: Option<SearchCursor>,
    /// Maximum number of items.
    pub(crate) limit: Option<usize>,
}

/// The end of a number, as an operator entered it.
#[derive(Clone, Debug, PartialEq, Eq, SerializeDisplay, DeserializeFromStr)]
pub(crate) struct EnteredDigits(LastDigits);

impl FromStr for EnteredDigits {
    type Err = MalformedDigits;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        LastDigits::of_entry(text).map(Self)
    }
}

impl fmt::Display for EnteredDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

/// Shows one confirmation with its story.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowConfirmation {
    /// The confirmation's id.
    #[serde_as(as = "DisplayFromStr")]
    #[schemars(with = "String")]
    pub(crate) id: ConfirmationId,
}

/// A confirmation in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmationSummary {
    #[schemars(with = "Ours")]
    id: String,
    #[schemars(with = "Ours")]
    app: String,
    /// `acquisition` or `confirmation`.
    #[schemars(with = "Ours")]
    flow: String,
    #[schemars(with = "NameOf<Status>")]
    state: String,
    #[schemars(with = "Time")]
    created_at: String,
    #[schemars(with = "Time")]
    expires_at: String,
    /// The number that was verified, or is to be: masked. `None` if none is known, or it was erased.
    #[schemars(with = "Option<Ours>")]
    number: Option<String>,
    /// `pending`, `delivered` or `failed`; `None` without a webhook.
    #[schemars(with = "Option<Ours>")]
    delivery: Option<String>,
    /// The number of attempts so far; `None` without a webhook.
    attempts: Option<u32>,
    /// True if a test key started it.
    test: bool,
    #[schemars(with = "Option<Time>")]
    redacted_at: Option<String>,
}

/// A confirmation with its story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfirmationStory {
    #[serde(flatten)]
    summary: ConfirmationSummary,
    /// The number of ours that the person texts.
    #[schemars(with = "Ours")]
    send_to: String,
    callback_url: Option<String>,
    /// The caller's data; `None` if it was erased.
    #[schemars(with = "CallersJson")]
    metadata: Option<Value>,
    /// The first text with the code that did not complete it.
    last_miss: Option<Miss>,
    /// Oldest first.
    timeline: Vec<Moment>,
    /// The command that asks the API for it.
    #[schemars(with = "Ours")]
    curl: String,
}

impl ConfirmationSummary {
    pub(super) fn of(item: &Confirmation, now: Timestamp) -> Self {
        let delivery = item.delivery();
        let flow = match item.flow {
            Flow::Acquisition => "acquisition",
            Flow::Confirmation { .. } => "confirmation",
        };
        Self {
            id: item.id.to_string(),
            app: item.app.to_string(),
            flow: flow.to_owned(),
            state: item.status(now).into_str().to_owned(),
            created_at: item.created_at.to_string(),
            expires_at: item.expires_at.to_string(),
            number: item.number().map(PhoneNumber::glimpse),
            delivery: delivery.map(|it| delivery_status(it).to_owned()),
            attempts: delivery.map(|it| it.attempts_claimed),
            test: item.test,
            redacted_at: item.redacted_at.map(|at| at.to_string()),
        }
    }
}

impl Item for ConfirmationSummary {
    const EMPTY: &'static str = "No confirmation was found";
    const COLUMNS: &'static [&'static str] =
        &["id", "app", "createdAt", "state", "number", "delivery"];
}

impl Answer for ConfirmationSummary {}
impl Answer for ConfirmationStory {}

impl Request for FindConfirmations {
    const NAME: &'static str = "find_confirmations";
    type Answer = Found<ConfirmationSummary>;

    fn at_most(self, items: usize) -> Self {
        let limit = Some(self.limit.unwrap_or(items).min(items));
        Self { limit, ..self }
    }

    async fn execute(self, admin: &Admin) -> Result<Self::Answer, AdminError> {
        let now = admin.clock.now();
        if let Some(id) = self.id {
            let item = admin.store.find::<Confirmation>(id, now).await?;
            let item = item.filter(|item| self.app.as_ref().is_none_or(|app| *app == item.app));
            let item = item.map(|item| ConfirmationSummary::of(&item, now));
            return Ok(Found::one(item));
        }
        let apps = admin.searched_apps(self.app.as_ref()).await?;
        let search = ConfirmationSearch {
            statuses: self.states,
            last_digits: self.digits.map(|EnteredDigits(digits)| digits),
            failed: self.failed,
            no_text: self.no_text,
            from: self.from.unwrap_or(Timestamp::from_millis(0)),
            before: self.to.unwrap_or(now.plus(FUTURE)),
        };
        let after = self.after;
        let after = after.filter(|after| after.kind() == DeliveryKind::Confirmations);
        let limit = self.limit.unwrap_or(LIMIT).clamp(1, MAX_LIMIT);
        let page = admin
            .store
            .search_confirmations(&apps, &search, after.as_ref(), limit, now);
        let page = page.await?;
        Ok(Found::of(page, |item| ConfirmationSummary::of(&item, now)))
    }
}

impl Request for ShowConfirmation {
    const NAME: &'static str = "show_confirmation";
    type Answer = ConfirmationStory;

    async fn execute(self, admin: &Admin) -> Result<ConfirmationStory, AdminError> {
        let now = admin.clock.now();
        let item = admin.find_confirmation(self.id).await?;
        let (metadata, callback) = (item.metadata.present(), item.callback.as_ref());
        Ok(ConfirmationStory {
            summary: ConfirmationSummary::of(&item, now),
            send_to: item.send_to.as_str().to_owned(),
            callback_url: callback.map(|url| url.as_str().to_owned()),
            metadata: metadata.and_then(|it| serde_json::from_str(it.as_str()).ok()),
            last_miss: item.last_miss().map(Miss::of),
            timeline: timeline::of(&item, now),
            curl: admin.curl(&format!("/confirmations/{}", item.id)),
        })
    }
}

impl Admin {
    pub(super) async fn find_confirmation(
        &self,
        id: ConfirmationId,
    ) -> Result<Confirmation, AdminError> {
        let found = self
            .store
            .find::<Confirmation>(id, self.clock.now())
            .await?;
        Ok(found.ok_or_else(|| StartedRefusal::Unknown(id.to_string()))?)
    }

    /// Returns the app of a confirmation, for the record of a request; `None` if it is unknown.
    pub(super) async fn app_of_confirmation(&self, id: ConfirmationId) -> Option<AppId> {
        let found = self.find_confirmation(id).await.ok()?;
        Some(found.app)
    }
}
