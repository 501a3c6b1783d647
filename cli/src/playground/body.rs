//! The JSON bodies that the page sends.

use countersign_api::{Problem, ProblemCode};
use serde::de::DeserializeOwned;

/// Parses the body of a request from the page.
pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(body).map_err(|error| {
        let detail = format!("The page cannot have sent this: {error}.");
        Problem::new(ProblemCode::MalformedJson).detail(detail)
    })
}
