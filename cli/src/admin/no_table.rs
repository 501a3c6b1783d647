//! Replaces the module `table` in builds without the feature `aws`.

use std::ops::Range;

use countersign_domain::hourly::{Hour, Split};
use countersign_domain::primitives::time::Timestamp;

use super::ask_error::AskError;
use super::deployment::built_without;
use super::history::History;
use super::request::Request;
use super::system::TableFacts;
use super::{Admin, AdminError};
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

/// Stands in for a table in builds without AWS.
pub(crate) enum TableHost {}

impl TableHost {
    pub(super) fn facts(&self) -> TableFacts {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "same signature as in `table`")]
    pub(super) async fn history(
        &self,
        _: &Admin,
        _: Range<Hour>,
        _: Option<Split>,
        _: Timestamp,
    ) -> Result<History, AdminError> {
        match *self {}
    }
}
