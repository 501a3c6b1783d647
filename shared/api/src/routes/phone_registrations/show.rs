//! `GET /phone-registrations/{id}`: shows a registration to its app's server, its page and its phone.

use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::app::key_label::KeyLabel;
use countersign_domain::login::PhoneRegistration;
use countersign_domain::login::phone_registration::transitions::SetupParty;
use countersign_domain::login::phone_registration::{RegistrationToken, SetupPhone, SetupStatus};
use countersign_domain::login::sighting::PlaceCredit;
use countersign_domain::use_cases::phone_registrations::{self, Viewed};
use serde::Serialize;
use utoipa::ToSchema;

use super::answer::about;
use super::path::PathId;
use super::problems;
use crate::extract::bearer::{self, Bearer};
use crate::extract::body::{self, WholeBody};
use crate::extract::sender::{self, Sender};
use crate::middleware::rate_limit;
use crate::problem::Problem;
use crate::schema::problems::problems;
use crate::schema::words::words;
use crate::state::ApiState;

pub(super) const PATH: &str = "/phone-registrations/{id}";

problems![
    rate_limit::PROBLEMS,
    bearer::PROBLEMS,
    sender::PROBLEMS,
    problems::PROBLEMS,
    body::PROBLEMS,
];

words! {
    /// The state of a phone registration. `created`: no phone has opened the link. `opened`: a phone has. `signed`: it
    /// shows the digits. `completed`: its key is registered. `failed`: it ended without a key. `expired`: its time is over.
    PhoneRegistrationState(SetupStatus)
}

/// A phone registration.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownPhoneRegistration<'a> {
    /// The state.
    state: PhoneRegistrationState,
    /// When the registration expires, or would have. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:15:05.678Z"))]
    expires_at: String,
    /// The seconds until then, rounded down; 0 if the time is over.
    #[schema(examples(540))]
    expires_in: u64,
    /// The service's time. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:06:05.678Z"))]
    server_time: String,
    /// The phone that opened the link. Absent until one has.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    device: Option<PhoneDevice>,
    /// Why the registration failed: `wrong_digits`, `cancelled`, or `key_refused` if the key was registered or revoked
    /// meanwhile, or if the user or the app has too many. Absent unless it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("wrong_digits"))]
    failure: Option<&'static str>,
    /// The user whose phone is set up. Only for the app's server.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("person@example.com"))]
    public_user_id: Option<&'a str>,
    /// The account's name. Only for the app's server; absent if it gave none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("Zoë Example"))]
    label: Option<&'a str>,
    /// The id of the registered key. Only for the app's server; absent until the registration is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        required = false,
        nullable = false,
        examples("cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
    )]
    key_id: Option<String>,
    /// The kind of that key: `browser` or `passkey`. Present together with `keyId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("passkey"))]
    kind: Option<&'static str>,
}

/// The phone that opened the link, as its request described it. It proves nothing: it helps the user to recognize a
/// phone.
#[derive(Serialize, ToSchema)]
pub(crate) struct PhoneDevice {
    /// The browser and its system.
    #[schema(examples("Safari on iOS"))]
    browser: String,
    /// Where its address is. Absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples("Berlin, DE"))]
    location: Option<String>,
    /// The source to credit where the location is shown. Absent if its license requires none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    attribution: Option<PhoneDeviceAttribution>,
}

/// The source of a location.
#[derive(Serialize, ToSchema)]
pub(crate) struct PhoneDeviceAttribution {
    /// The words to show.
    #[schema(examples("IP Geolocation by DB-IP"))]
    text: &'static str,
    /// The URL that the words link to.
    #[schema(examples("https://db-ip.com"))]
    url: &'static str,
}

impl From<&SetupPhone> for PhoneDevice {
    fn from(phone: &SetupPhone) -> Self {
        let attribution = |credit: PlaceCredit| PhoneDeviceAttribution {
            text: credit.text(),
            url: credit.url(),
        };
        Self {
            browser: phone.user_agent.name(),
            location: phone.place.name(),
            attribution: phone.place.credit.map(attribution),
        }
    }
}

impl<'a> ShownPhoneRegistration<'a> {
    /// Returns what page and phone see.
    fn of_device(viewed: &Viewed) -> Self {
        let Viewed {
            registration,
            server_time,
        } = viewed;
        let expires_at = registration.expires_at();
        Self {
            state: PhoneRegistrationState(registration.status(*server_time)),
            expires_at: expires_at.to_string(),
            expires_in: expires_at.since(*server_time).as_secs(),
            server_time: server_time.to_string(),
            device: registration.phone().map(PhoneDevice::from),
            failure: registration.failure().map(|failure| failure.into_str()),
            public_user_id: None,
            label: None,
            key_id: None,
            kind: None,
        }
    }

    /// Adds what only the app's server sees.
    fn with_account(self, item: &'a PhoneRegistration) -> Self {
        let registered = item.registered();
        Self {
            public_user_id: Some(item.owner.as_str()),
            label: item.label.as_ref().map(KeyLabel::as_str),
            key_id: registered.map(|(key, _)| key.to_string()),
            kind: registered.map(|(_, kind)| kind.name()),
            ..self
        }
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(show))
}

/// Show a phone registration
///
/// For the app's server, for the page with `pageToken`, and for the phone that opened the link, every few seconds. The
/// server sees more; with a test key, only what test keys created. A registration is kept for a day.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "getPhoneRegistration",
    tag = "phone registrations",
    params(PathId),
    responses(
        (status = 200, description = "The registration.", body = ShownPhoneRegistration),
        Problems,
    ),
    security(("apiKey" = []), ("setupPageToken" = []), ("setupPhoneToken" = [])),
)]
pub(crate) async fn show(
    State(state): State<ApiState>,
    sender: Sender<Bearer<RegistrationToken>>,
    _body: WholeBody,
    id: PathId,
) -> Result<Response, Problem> {
    let ports = state.setup_ports()?;
    match sender {
        Sender::Device(bearer) => {
            let (id, token) = id.with_token(bearer)?;
            let party = SetupParty::Device(&token);
            let viewed = phone_registrations::show(ports, id, party).await;
            let answer = viewed
                .map(|viewed| Json(ShownPhoneRegistration::of_device(&viewed)).into_response());
            Ok(about(Some(id), None, answer.map_err(Problem::from)))
        }
        Sender::Server(caller) => {
            let id = id.known()?;
            let party = SetupParty::Server(caller.scope());
            let viewed = phone_registrations::show(ports, id, party).await;
            let answer = viewed.map(|viewed| {
                let shown = ShownPhoneRegistration::of_device(&viewed);
                Json(shown.with_account(&viewed.registration)).into_response()
            });
            let app = Some(caller.app.id.clone());
            Ok(about(Some(id), app, answer.map_err(Problem::from)))
        }
    }
}
