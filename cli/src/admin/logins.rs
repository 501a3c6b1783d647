//! Searching and showing logins, of every app.

mod cancel;
mod timeline;

use std::net::IpAddr;

pub(crate) use cancel::CancelLogin;
use countersign_domain::delivery::DeliveryKind;
use countersign_domain::login::sighting::{Sighting, UserAgent};
use countersign_domain::login::{ClaimedUserId, Login, Status};
use countersign_domain::primitives::ids::{AppId, LoginId};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{LoginSearch, SearchCursor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use super::confirmations::FUTURE;
use super::request::{Answer, Item, Request};
use super::started::{Found, LIMIT, MAX_LIMIT, Moment, delivery_status};
use super::started_refusal::StartedRefusal;
use super::{Admin, AdminError};
use crate::schema::{NameOf, Ours, Time};

/// Searches logins. What is left out narrows nothing.
#[serde_as]
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct FindLogins {
    /// Only those of this app.
    #[schemars(with = "Option<String>")]
    pub(crate) app: Option<AppId>,
    /// Only those in one of these states; in any if empty.
    #[serde_as(as = "Vec<DisplayFromStr>")]
    #[schemars(with = "Vec<NameOf<Status>>")]
    pub(crate) states: Vec<Status>,
    /// Only those whose webhook was given up.
    pub(crate) failed: bool,
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
    pub(crate) id: Option<LoginId>,
    /// Where the page begins: `next` of the page before.
    #[serde_as(as = "Option<DisplayFromStr>")]
    #[schemars(with = "Option<String>")]
    pub(crate) after: Option<SearchCursor>,
    /// Maximum number of items.
    pub(crate) limit: Option<usize>,
}

/// Shows one login with its story.
#[serde_as]
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShowLogin {
    /// The login's id.
    #[serde_as(as = "DisplayFromStr")]
    #[schemars(with = "String")]
    pub(crate) id: LoginId,
}

/// A login in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoginSummary {
    #[schemars(with = "Ours")]
    id: String,
    #[schemars(with = "Ours")]
    app: String,
    #[schemars(with = "NameOf<Status>")]
    state: String,
    #[schemars(with = "Time")]
    created_at: String,
    /// For a login that has ended, when it did.
    #[schemars(with = "Time")]
    expires_at: String,
    origin: String,
    /// The user whose key signed, or else the one whom the phone named.
    public_user_id: Option<String>,
    /// `clear`, `warn` or `deny`; `None` before a phone opened it.
    #[schemars(with = "Option<Ours>")]
    risk: Option<String>,
    /// `pending`, `delivered` or `failed`; `None` without a webhook.
    #[schemars(with = "Option<Ours>")]
    delivery: Option<String>,
    attempts: Option<u32>,
    test: bool,
}

/// A device, as far as an operator needs to know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Device {
    place: Option<String>,
    /// Masked.
    #[schemars(with = "Ours")]
    address: String,
    name: Option<String>,
}

/// A login with its story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoginStory {
    #[serde(flatten)]
    summary: LoginSummary,
    /// `None` if the app's server opened the login and no browser has joined it.
    browser: Option<Device>,
    phone: Option<Device>,
    /// Oldest first.
    timeline: Vec<Moment>,
    /// The command that asks the API for it.
    #[schemars(with = "Ours")]
    curl: String,
}

impl LoginSummary {
    fn of(login: &Login, now: Timestamp) -> Self {
        let phone = login.phone();
        let claimed = phone.and_then(|phone| phone.user.as_ref());
        let verified = login.verified_user().map(|verified| &verified.user);
        let delivery = login.notice.as_deref().map(|notice| &notice.delivery);
        Self {
            id: login.id.to_string(),
            app: login.app.to_string(),
            state: login.status(now).into_str().to_owned(),
            created_at: login.created_at.to_string(),
            expires_at: login.expires_at().to_string(),
            origin: login.origin.as_str().to_owned(),
            public_user_id: verified
                .or(claimed)
                .map(ClaimedUserId::as_str)
                .map(str::to_owned),
            risk: phone.map(|phone| phone.risk.status().into_str().to_owned()),
            delivery: delivery.map(|it| delivery_status(it).to_owned()),
            attempts: delivery.map(|it| it.attempts_claimed),
            test: login.test,
        }
    }
}

impl Device {
    fn of(seen: &Sighting) -> Self {
        Self {
            place: seen.place.name(),
            address: masked(seen.address),
            name: browser_name(&seen.user_agent),
        }
    }
}

/// Returns the browser and its system, as far as they are known.
pub(super) fn browser_name(user_agent: &UserAgent) -> Option<String> {
    match user_agent.parts() {
        (Some(browser), Some(system)) => Some(format!("{browser} on {system}")),
        (Some(one), None) | (None, Some(one)) => Some(one.to_owned()),
        (None, None) => None,
    }
}

/// Returns an address without what tells one connection from its neighbours.
fn masked(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, ..] = address.octets();
            format!("{a}.{b}.•.•")
        }
        IpAddr::V6(address) => {
            let [a, b, ..] = address.segments();
            format!("{a:x}:{b:x}:•")
        }
    }
}

impl Item for LoginSummary {
    const EMPTY: &'static str = "No login was found";
    const COLUMNS: &'static [&'static str] = &["id", "app", "createdAt", "state", "origin", "risk"];
}

impl Answer for LoginStory {}

impl Request for FindLogins {
    const NAME: &'static str = "find_logins";
    type Answer = Found<LoginSummary>;

    fn at_most(self, items: usize) -> Self {
        let limit = Some(self.limit.unwrap_or(items).min(items));
        Self { limit, ..self }
    }

    async fn execute(self, admin: &Admin) -> Result<Self::Answer, AdminError> {
        let now = admin.clock.now();
        if let Some(id) = self.id {
            let login = admin.store.find::<Login>(id, now).await?;
            let login = login.filter(|it| self.app.as_ref().is_none_or(|app| *app == it.app));
            return Ok(Found::one(login.map(|it| LoginSummary::of(&it, now))));
        }
        let apps = admin.searched_apps(self.app.as_ref()).await?;
        let search = LoginSearch {
            statuses: self.states,
            failed: self.failed,
            from: self.from.unwrap_or(Timestamp::from_millis(0)),
            before: self.to.unwrap_or(now.plus(FUTURE)),
        };
        let after = self.after;
        let after = after.filter(|after| after.kind() == DeliveryKind::Logins);
        let limit = self.limit.unwrap_or(LIMIT).clamp(1, MAX_LIMIT);
        let page = admin
            .store
            .search_logins(&apps, &search, after.as_ref(), limit, now);
        Ok(Found::of(page.await?, |login| {
            LoginSummary::of(&login, now)
        }))
    }
}

impl Request for ShowLogin {
    const NAME: &'static str = "show_login";
    type Answer = LoginStory;

    async fn execute(self, admin: &Admin) -> Result<LoginStory, AdminError> {
        let now = admin.clock.now();
        let found = admin.store.find::<Login>(self.id, now).await?;
        let login = found.ok_or_else(|| StartedRefusal::Unknown(self.id.to_string()))?;
        let browser = login.has_seen_browser().then(|| Device::of(&login.browser));
        Ok(LoginStory {
            summary: LoginSummary::of(&login, now),
            browser,
            phone: login.phone().map(|phone| Device::of(&phone.sighting)),
            timeline: timeline::of(&login, now),
            curl: admin.curl(&format!("/qr-sessions/{}", login.id)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_loses_its_end() {
        for (address, shown) in [
            ("192.0.2.77", "192.0.•.•"),
            ("2001:db8:1:2::77", "2001:db8:•"),
            ("::ffff:192.0.2.77", "192.0.•.•"),
        ] {
            assert_eq!(masked(address.parse().unwrap()), shown);
        }
    }
}
