//! `GET /association-keys`: the active keys of a user.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use countersign_domain::login::{AssociationKey, KeyKind, KeyPoint};
use countersign_domain::use_cases::association_keys;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::answer::for_app;
use super::register::PATH;
use super::user;
use crate::extract::api_key::{self, Caller};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

problems![api_key::PROBLEMS, user::PROBLEMS];

/// The query of `GET /association-keys`.
#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct UserQuery {
    /// The app's own id of the user.
    #[param(
        required = true,
        min_length = 1,
        max_length = 256,
        example = "person@example.com"
    )]
    public_user_id: Option<String>,
}

/// The active association keys of a user, oldest first. There are at most 16.
#[derive(Serialize, ToSchema)]
pub(crate) struct AssociationKeys {
    /// The keys.
    keys: Vec<RegisteredAssociationKey>,
}

/// An active association key.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RegisteredAssociationKey {
    /// The key's JWK thumbprint (RFC 7638), the `kid` of its proofs.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$",
        examples("cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
    )]
    key_id: String,
    /// The public half of the key: a P-256 `SubjectPublicKeyInfo`, DER, in standard Base64 with padding.
    #[schema(
        pattern = "^[A-Za-z0-9+/]{122}==$",
        examples(
            "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9Q=="
        )
    )]
    public_key: String,
    /// When the key was registered. UTC, ISO 8601 with milliseconds.
    #[schema(format = DateTime, examples("2026-01-02T03:04:05.678Z"))]
    registered_at: String,
    /// Where the private half of the key is.
    kind: AssociationKeyKind,
    /// The name of the phone that has the key. Absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Pixel 9"))]
    label: Option<String>,
    /// The domain that a passkey belongs to. Present for passkeys only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("login.shop.example"))]
    rp_id: Option<String>,
    /// The origin that each assertion of a passkey must name. Present for passkeys only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("https://login.shop.example"))]
    origin: Option<String>,
    /// Whether the phone's system may copy the passkey to the user's other devices, as it said when the key was registered.
    /// Present for passkeys only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    synced: Option<bool>,
}

/// Where the private half of a key is. `app`: in an app on the phone. `browser`: in the browser's storage, where the
/// web authenticator keeps it. `passkey`: in the phone's passkeys, which sign proofs in a form of their own.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum AssociationKeyKind {
    App,
    Browser,
    Passkey,
}

impl RegisteredAssociationKey {
    fn from_key(key: &AssociationKey) -> Option<Self> {
        let kind = key.kind()?;
        let passkey = kind.passkey();
        Some(Self {
            key_id: key.id.to_string(),
            public_key: key.point().map(KeyPoint::spki)?,
            registered_at: key.registered_at()?.to_string(),
            kind: match kind {
                KeyKind::App => AssociationKeyKind::App,
                KeyKind::Browser => AssociationKeyKind::Browser,
                KeyKind::Passkey(_) => AssociationKeyKind::Passkey,
            },
            label: key.label().map(ToString::to_string),
            rp_id: passkey.map(|passkey| passkey.rp_id.to_string()),
            origin: passkey.map(|passkey| passkey.origin.to_string()),
            synced: passkey.map(|passkey| passkey.synced),
        })
    }
}

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, get(list))
}

/// List a user's association keys
///
/// Returns all active keys of a user of the app. Revoked keys are not listed. With a test key, only keys that test keys registered.
#[utoipa::path(
    get,
    path = PATH,
    operation_id = "listAssociationKeys",
    tag = "association keys",
    params(UserQuery),
    responses(
        (status = 200, description = "The keys, oldest first.", body = AssociationKeys),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn list(
    State(state): State<ApiState>,
    caller: Caller,
    query: Result<Query<UserQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let Query(query) = query.map_err(|_| {
        Problem::new(ProblemCode::PublicUserIdMalformed)
            .detail("Send publicUserId once in the query, percent-encoded.")
    })?;
    let owner = user::parse(query.public_user_id.as_deref())?;
    let ports = state.association_key_ports()?;
    let keys = association_keys::of_user(ports, caller.scope(), &owner).await;
    let answer = keys.map(|keys| {
        let keys = keys.iter().filter_map(RegisteredAssociationKey::from_key);
        let keys = keys.collect();
        Json(AssociationKeys { keys }).into_response()
    });
    Ok(for_app(&caller.app.id, answer.map_err(Problem::from)))
}
