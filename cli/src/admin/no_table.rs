//! Stands in for `table` when the command is built without the feature `aws`.

use super::answer::Answer;
use super::command::Command;
use crate::failure::Failure;

/// Fails, and says how to build a command with AWS.
#[expect(clippy::unused_async, reason = "same signature as in `table`")]
pub(super) async fn ask(_: &str, _: Command) -> Result<Answer, Failure> {
    Err(Failure::new(
        "this command was built without AWS; in the source folder, `cargo install --path cli \
         --features aws --locked` builds one with it",
    ))
}
