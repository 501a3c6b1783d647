//! In place of `table`, in a command that was built without the feature `aws`.

use super::answer::Answer;
use super::command::Command;
use crate::failure::Failure;

/// Says how to get a command that can.
#[expect(clippy::unused_async, reason = "as the module that it stands for")]
pub(super) async fn ask(_: &str, _: Command) -> Result<Answer, Failure> {
    Err(Failure::new(
        "this command was built without AWS; in the source folder, `cargo install --path cli \
         --features aws --locked` builds one with it",
    ))
}
