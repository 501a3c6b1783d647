//! `DELETE /association-keys/{keyId}`: revokes a key.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::delete;
use axum::{Json, Router};
use countersign_domain::login::KeyId;
use countersign_domain::login::association_key::transitions::RevokeOutcome;
use countersign_domain::use_cases::association_keys;

use super::answer::{AssociationKeyId, for_app};
use crate::extract::api_key::{self, Caller};
use crate::extract::body::{self, WholeBody};
use crate::problem::{Problem, ProblemCode};
use crate::schema::problems::problems;
use crate::state::ApiState;

const PATH: &str = "/association-keys/{keyId}";

problems![
    api_key::PROBLEMS,
    body::PROBLEMS,
    &[ProblemCode::AssociationKeyNotFound],
];

pub(super) fn routes() -> Router<ApiState> {
    Router::new().route(PATH, delete(revoke))
}

/// Revoke an association key
///
/// Takes effect immediately and permanently: no proof by the key verifies a login any longer, and the
/// key cannot be registered again. Repeating the request returns the same answer.
#[utoipa::path(
    delete,
    path = PATH,
    operation_id = "revokeAssociationKey",
    tag = "association keys",
    params(("keyId" = String, Path, description = "The `keyId` of one of the app's own keys.",
        pattern = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$")),
    responses(
        (status = 200, description = "The key is revoked.", body = AssociationKeyId),
        Problems,
    ),
    security(("apiKey" = [])),
)]
pub(crate) async fn revoke(
    State(state): State<ApiState>,
    caller: Caller,
    _body: WholeBody,
    id: Result<Path<String>, PathRejection>,
) -> Result<Response, Problem> {
    // A malformed id gets the same answer as an unknown one.
    let id = id.ok().and_then(|Path(text)| text.parse::<KeyId>().ok());
    let answer = match id {
        None => Err(not_found()),
        Some(id) => {
            let ports = state.association_key_ports()?;
            match association_keys::revoke(ports, caller.scope(), id).await {
                Ok(RevokeOutcome::Revoked | RevokeOutcome::AlreadyRevoked) => {
                    Ok(Json(AssociationKeyId::from(id)).into_response())
                }
                Ok(RevokeOutcome::Unknown) => Err(not_found()),
                Err(cause) => Err(cause.into()),
            }
        }
    };
    Ok(for_app(&caller.app.id, answer))
}

/// Returns the answer for a key that does not exist or belongs to another app.
fn not_found() -> Problem {
    Problem::new(ProblemCode::AssociationKeyNotFound)
}
