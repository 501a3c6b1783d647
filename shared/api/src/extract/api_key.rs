//! The calling app, identified by its API key.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use countersign_domain::app::App;
use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::app::scope::Scope;
use countersign_domain::store::KeyLookup;
use http::request::Parts;

use crate::header::Single;
use crate::problem::{Problem, ProblemCode};
use crate::state::ApiState;

pub(super) const HEADER: &str = "x-api-key";

/// Problems of a request that needs an API key.
pub(crate) const PROBLEMS: &[ProblemCode] = &[
    ProblemCode::ApiKeyMissing,
    ProblemCode::ApiKeyMalformed,
    ProblemCode::ApiKeyUnknown,
    ProblemCode::ApiKeyRevoked,
];

/// The calling app, authenticated by one of its API keys, live or test.
pub(crate) struct Caller {
    /// The app that the key belongs to.
    pub(crate) app: Arc<App>,
    /// The key as it was presented. The codes of idempotent requests are derived from it.
    pub(crate) key: PresentedApiKey,
}

impl Caller {
    /// Returns whether the key is for tests.
    pub(crate) fn is_test(&self) -> bool {
        self.key.mode() == KeyMode::Test
    }

    /// Refuses a live key.
    pub(crate) fn only_test(&self) -> Result<(), Problem> {
        if self.is_test() {
            return Ok(());
        }
        Err(Problem::new(ProblemCode::TestKeyNeeded)
            .detail("Send a key that begins with cs_test_: countersign key issue APP --test."))
    }

    /// Returns which confirmations and logins the caller may see and change.
    pub(crate) fn scope(&self) -> Scope<'_> {
        Scope {
            app: &self.app.id,
            mode: self.key.mode(),
        }
    }
}

impl FromRequestParts<ApiState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let malformed = |detail| Problem::new(ProblemCode::ApiKeyMalformed).detail(detail);
        let value = match Single::find(&parts.headers, HEADER) {
            Single::Absent => {
                return Err(Problem::new(ProblemCode::ApiKeyMissing)
                    .detail("Send the app's API key in the header x-api-key."));
            }
            Single::Once(value) => value,
            Single::Repeated => return Err(malformed("Send the header x-api-key once.")),
        };
        let key = value.to_str().ok();
        let key = key
            .and_then(|text| text.parse::<PresentedApiKey>().ok())
            .ok_or_else(|| {
                malformed(
                    "Send the whole key: cs_live_ or cs_test_, followed by 49 letters and digits.",
                )
            })?;
        let hash = key.hash();
        match state.store.lookup_key(&hash).await? {
            KeyLookup::Active(app) => {
                state.store.note_key_use(&hash);
                Ok(Self { app, key })
            }
            KeyLookup::Revoked => Err(Problem::new(ProblemCode::ApiKeyRevoked)
                .detail("Use another key of the app, or issue a new one.")),
            KeyLookup::Unknown => Err(Problem::new(ProblemCode::ApiKeyUnknown).detail(
                "The key is well formed, but not in use here. Is it for another deployment?",
            )),
        }
    }
}
