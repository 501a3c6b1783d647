//! Replaces the module `deployment` in builds without the feature `aws`.

use crate::failure::Failure;

/// Stands in for a deployment in builds without AWS.
pub(crate) enum Deployment {}

#[expect(clippy::unused_async, reason = "same signatures as in `deployment`")]
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

/// Returns a failure with instructions for building a command with AWS support.
pub(super) fn built_without() -> Failure {
    Failure::new(
        "this command was built without AWS; in the source folder, `cargo install --path cli \
         --features aws --locked` builds one with it",
    )
}
