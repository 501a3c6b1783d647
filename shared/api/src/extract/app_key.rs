//! The app that a browser or a phone specifies by its public key.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_domain::app::{App, AppKey};
use http::request::Parts;

use crate::header::Single;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

pub(super) const HEADER: &str = "x-app-key";

/// Problems of a request that needs an app key.
pub(crate) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::AppKeyMissing,
    ProblemCode::AppKeyMalformed,
    ProblemCode::AppKeyUnknown,
];

/// The app that a browser or a phone specifies. The key is public: it proves nothing about the
/// caller.
pub(crate) struct NamedApp(pub(crate) Arc<App>);

impl FromRequestParts<ApiState> for NamedApp {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let malformed = |detail| Problem::new(ProblemCode::AppKeyMalformed).detail(detail);
        let value = match Single::find(&parts.headers, HEADER) {
            Single::Absent => {
                return Err(Problem::new(ProblemCode::AppKeyMissing)
                    .detail("Send the app's public key in the header x-app-key."));
            }
            Single::Once(value) => value,
            Single::Repeated => return Err(malformed("Send the header x-app-key once.")),
        };
        let key = value.to_str().ok();
        let key = key
            .and_then(|text| text.parse::<AppKey>().ok())
            .ok_or_else(|| {
                malformed("Send the whole key: cs_app_ followed by 22 letters and digits.")
            })?;
        let app = state.store.lookup_app_key(&key).await?;
        app.map(Self).ok_or_else(|| {
            Problem::new(ProblemCode::AppKeyUnknown).detail(
                "The key is well formed, but not in use here. Is it for another deployment?",
            )
        })
    }
}
