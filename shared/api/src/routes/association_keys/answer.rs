//! The parts that several answers about association keys share.

use axum::response::{IntoResponse as _, Response};
use countersign_domain::login::KeyId;
use countersign_domain::primitives::ids::AppId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::middleware::log::LogFields;
use crate::problem::Problem;

/// An association key, by its id.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssociationKeyId {
    /// The key's JWK thumbprint (RFC 7638), the `kid` of its proofs.
    #[schema(
        pattern = "^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$",
        examples("cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s")
    )]
    key_id: String,
}

impl From<KeyId> for AssociationKeyId {
    fn from(id: KeyId) -> Self {
        Self {
            key_id: id.to_string(),
        }
    }
}

/// Returns an answer whose log line identifies the app, whether or not the answer is a problem.
pub(super) fn for_app(app: &AppId, answer: Result<Response, Problem>) -> Response {
    let mut response = answer.unwrap_or_else(Problem::into_response);
    response.extensions_mut().insert(LogFields {
        app: Some(app.clone()),
        ..LogFields::default()
    });
    response
}
