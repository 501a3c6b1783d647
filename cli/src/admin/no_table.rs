//! Replaces the module `table` in builds without the feature `aws`.

use super::ask_error::AskError;
use super::deployment::built_without;
use super::request::Request;
use crate::failure::Failure;

/// Fails with instructions for building a command with AWS support.
#[expect(clippy::unused_async, reason = "same signature as in `table`")]
pub(super) async fn ask<R: Request>(_: &str, _: R) -> Result<R::Answer, AskError> {
    Err(AskError::Unavailable(built_without()))
}

/// Fails likewise.
#[expect(clippy::unused_async, reason = "same signature as in `table`")]
pub(crate) async fn operator() -> Result<String, Failure> {
    Err(built_without())
}
