use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_domain::app::App;
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::app::store::KeyLookup;
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// The header with the API key.
const HEADER: &str = "x-api-key";

/// Who calls: an app, by one of its keys.
pub(crate) struct Caller {
    /// The app that the key opens.
    pub(crate) app: Arc<App>,
    /// The key as it was presented: idempotent requests make their codes of it.
    pub(crate) key: PresentedApiKey,
}

impl FromRequestParts<ApiState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all(HEADER).iter();
        let value = match (values.next(), values.next()) {
            (None, _) => {
                return Err(Problem::new(ProblemCode::ApiKeyMissing)
                    .detail("Send the app's API key in the header x-api-key."));
            }
            (Some(value), None) => value,
            (Some(_), Some(_)) => {
                return Err(Problem::new(ProblemCode::ApiKeyMalformed)
                    .detail("Send the header x-api-key once."));
            }
        };
        let key = value
            .to_str()
            .ok()
            .and_then(|text| text.parse::<PresentedApiKey>().ok())
            .ok_or_else(|| {
                Problem::new(ProblemCode::ApiKeyMalformed)
                    .detail("Copy the whole key: cs_live_ and 49 letters and digits, nothing else.")
            })?;
        match state.apps.lookup_key(&key.hash()).await? {
            KeyLookup::Active(app) => Ok(Self { app, key }),
            KeyLookup::Revoked => Err(Problem::new(ProblemCode::ApiKeyRevoked)
                .detail("Use another key of the app, or issue a new one.")),
            KeyLookup::Unknown => Err(Problem::new(ProblemCode::ApiKeyUnknown)
                .detail("The key is well formed. Is it one of this deployment's?")),
        }
    }
}
