//! Listing, showing and cancelling phone registrations.
//!
//! They are found by their user. A list of an app's would need an index entry for each, which costs a write more on AWS.

use clap::Args;
use countersign_domain::app::scope::Scope;
use countersign_domain::login::phone_registration::transitions::{self, SetupParty};
use countersign_domain::login::phone_registration::{Failure, SetupRefusal, SetupStatus};
use countersign_domain::login::{self, ClaimedUserId};
use countersign_domain::primitives::ids::{AppId, PhoneRegistrationId};
use countersign_domain::primitives::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::logins::browser_name;
use super::request::{Answer, Item, Request};
use super::started::{Found, delivery_status};
use super::started_refusal::StartedRefusal;
use super::{Admin, AdminError};
use crate::schema::{NameOf, Ours, Time};

/// Lists the phone registrations of a user, newest first: the arguments of `app phone-registrations list`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ListPhoneRegistrations {
    /// The app's name; without it, the user's registrations in all apps are listed
    #[schemars(with = "Option<String>")]
    app: Option<AppId>,
    /// The user, by the app's own id
    #[schemars(with = "String")]
    #[arg(long = "user", value_name = "ID")]
    public_user_id: ClaimedUserId,
}

/// Shows one phone registration: the arguments of `app phone-registrations show`.
#[derive(Clone, Debug, Args, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ShowPhoneRegistration {
    /// The registration's id
    #[schemars(with = "String")]
    id: PhoneRegistrationId,
}

/// Cancels a phone registration: the arguments of `app phone-registrations cancel`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct CancelPhoneRegistration {
    /// The registration's id, from `countersign app phone-registrations list`
    id: PhoneRegistrationId,
}

/// A phone registration, without its secrets and digits.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhoneRegistration {
    #[schemars(with = "Ours")]
    id: String,
    #[schemars(with = "Ours")]
    app: String,
    /// The user whose phone is set up.
    public_user_id: String,
    /// The account's name as the user knows it.
    label: Option<String>,
    #[schemars(with = "NameOf<SetupStatus>")]
    state: String,
    #[schemars(with = "Time")]
    created_at: String,
    #[schemars(with = "Time")]
    expires_at: String,
    /// When the registration was completed or failed.
    #[schemars(with = "Option<Time>")]
    ended_at: Option<String>,
    /// The browser and the system of the phone that opened the link, as far as they are known.
    browser: Option<String>,
    /// The location of that phone's address, if it is known.
    place: Option<String>,
    /// The registered key.
    #[schemars(with = "Option<Ours>")]
    key_id: Option<String>,
    /// The kind of that key: `browser` or `passkey`.
    #[schemars(with = "Option<Ours>")]
    kind: Option<String>,
    /// Why the registration failed.
    #[schemars(with = "Option<NameOf<Failure>>")]
    failure: Option<String>,
    /// The webhook: `pending`, `delivered` or `failed`; absent without one.
    #[schemars(with = "Option<Ours>")]
    delivery: Option<String>,
    attempts: Option<u32>,
    test: bool,
}

impl PhoneRegistration {
    fn of(item: &login::PhoneRegistration, now: Timestamp) -> Self {
        let phone = item.phone();
        let registered = item.registered();
        let delivery = item.notice.as_deref();
        Self {
            id: item.id.to_string(),
            app: item.app.to_string(),
            public_user_id: item.owner.as_str().to_owned(),
            label: item.label.as_ref().map(ToString::to_string),
            state: item.status(now).into_str().to_owned(),
            created_at: item.created_at.to_string(),
            expires_at: item.expires_at().to_string(),
            ended_at: item.ended_at().map(|at| at.to_string()),
            browser: phone.and_then(|phone| browser_name(&phone.user_agent)),
            place: phone.and_then(|phone| phone.place.name()),
            key_id: registered.map(|(key, _)| key.to_string()),
            kind: registered.map(|(_, kind)| kind.name().to_owned()),
            failure: item.failure().map(|reason| reason.into_str().to_owned()),
            delivery: delivery.map(|it| delivery_status(it).to_owned()),
            attempts: delivery.map(|it| it.attempts_claimed),
            test: item.test,
        }
    }
}

impl Answer for PhoneRegistration {}

impl Item for PhoneRegistration {
    const EMPTY: &'static str = "No phone of this user was set up in the last day";
    const COLUMNS: &'static [&'static str] = &[
        "app",
        "id",
        "createdAt",
        "state",
        "failure",
        "browser",
        "place",
    ];
}

impl Request for ListPhoneRegistrations {
    const NAME: &'static str = "list_phone_registrations";
    type Answer = Found<PhoneRegistration>;

    async fn execute(self, admin: &Admin) -> Result<Self::Answer, AdminError> {
        let now = admin.clock.now();
        let mut found = Vec::new();
        for app in admin.searched_apps(self.app.as_ref()).await? {
            let scope = Scope::live(&app);
            let of_app = admin
                .store
                .phone_registrations_of(scope, &self.public_user_id, now);
            found.extend(of_app.await?);
        }
        found.sort_by_key(|item| std::cmp::Reverse((item.created_at, item.id)));
        let shown = found.iter().map(|item| PhoneRegistration::of(item, now));
        Ok(Found::all(shown.collect()))
    }
}

impl Request for ShowPhoneRegistration {
    const NAME: &'static str = "show_phone_registration";
    type Answer = PhoneRegistration;

    async fn execute(self, admin: &Admin) -> Result<PhoneRegistration, AdminError> {
        let found = admin.phone_registration(self.id).await?;
        Ok(PhoneRegistration::of(&found, admin.clock.now()))
    }
}

/// Repeating it changes nothing and succeeds.
impl Request for CancelPhoneRegistration {
    const NAME: &'static str = "cancel_phone_registration";
    const CHANGES: bool = true;
    type Answer = PhoneRegistration;

    async fn app(&self, admin: &Admin) -> Option<AppId> {
        Some(admin.phone_registration(self.id).await.ok()?.app)
    }

    async fn execute(self, admin: &Admin) -> Result<PhoneRegistration, AdminError> {
        let now = admin.clock.now();
        let app = admin.phone_registration(self.id).await?.app;
        let by = SetupParty::Server(Scope::live(&app));
        let decide = |current| transitions::cancel(current, by, now);
        let ended = match admin.store.change(self.id, decide).await? {
            Ok(()) => {
                let cancelled = admin.phone_registration(self.id).await?;
                return Ok(PhoneRegistration::of(&cancelled, now));
            }
            Err(SetupRefusal::Expired) => SetupStatus::Expired,
            Err(SetupRefusal::Completed) => SetupStatus::Completed,
            Err(SetupRefusal::Failed(_)) => SetupStatus::Failed,
            Err(_) => return Err(StartedRefusal::Unknown(self.id.to_string()).into()),
        };
        Err(StartedRefusal::PhoneSettled(ended.into_str()).into())
    }
}

impl Admin {
    async fn phone_registration(
        &self,
        id: PhoneRegistrationId,
    ) -> Result<login::PhoneRegistration, AdminError> {
        let now = self.clock.now();
        let found = self.store.find::<login::PhoneRegistration>(id, now).await?;
        Ok(found.ok_or_else(|| StartedRefusal::Unknown(id.to_string()))?)
    }
}
