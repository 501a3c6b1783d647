//! Replaces the module `table` in builds without the feature `aws`.

use super::ask_error::AskError;
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

/// Stands in for a deployment in builds without AWS.
pub(crate) enum Deployment {}

#[expect(clippy::unused_async, reason = "same signatures as in `table`")]
impl Deployment {
    pub(crate) async fn find(_: &str) -> Result<Self, Failure> {
        Err(built_without())
    }

    pub(crate) async fn read(&self) -> Result<Option<String>, Failure> {
        match *self {}
    }

    pub(crate) async fn read_to_change(&self) -> Result<SeenSecret, Failure> {
        match *self {}
    }

    pub(crate) async fn replace(&self, _: &SeenSecret, _: &str) -> Result<bool, Failure> {
        match *self {}
    }

    pub(crate) fn public_url(&self) -> Option<&str> {
        match *self {}
    }

    pub(crate) fn topic(&self) -> Option<&str> {
        match *self {}
    }

    pub(crate) fn table(&self) -> &str {
        match *self {}
    }
}

/// Stands in for a secret in builds without AWS.
pub(crate) enum SeenSecret {}

impl SeenSecret {
    pub(crate) fn text(&self) -> Option<&str> {
        match *self {}
    }
}

fn built_without() -> Failure {
    Failure::new(
        "this command was built without AWS; in the source folder, `cargo install --path cli \
         --features aws --locked` builds one with it",
    )
}
