use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_domain::app::{App, AppKey};
use http::request::Parts;

use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

/// The header with the app key.
const HEADER: &str = "x-app-key";

/// Which app a browser or a phone speaks of. The key is public: it proves nothing about who calls.
pub(crate) struct OfApp(pub(crate) Arc<App>);

impl FromRequestParts<ApiState> for OfApp {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all(HEADER).iter();
        let value = match (values.next(), values.next()) {
            (None, _) => {
                return Err(Problem::new(ProblemCode::AppKeyMissing)
                    .detail("Send the app's public key in the header x-app-key."));
            }
            (Some(value), None) => value,
            (Some(_), Some(_)) => {
                return Err(Problem::new(ProblemCode::AppKeyMalformed)
                    .detail("Send the header x-app-key once."));
            }
        };
        let key = value
            .to_str()
            .ok()
            .and_then(|text| text.parse::<AppKey>().ok());
        let key = key.ok_or_else(|| {
            Problem::new(ProblemCode::AppKeyMalformed)
                .detail("Copy the whole key: cs_app_ and 22 letters and digits, nothing else.")
        })?;
        let app = state.apps.lookup_app_key(&key).await?;
        app.map(Self).ok_or_else(|| {
            Problem::new(ProblemCode::AppKeyUnknown)
                .detail("The key is well formed. Is it one of this deployment's?")
        })
    }
}
