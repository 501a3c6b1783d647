//! `countersign app`, `key`, `signing-key`, `metrics` and `webhook test`.

use std::process::ExitCode;

use crate::admin::answer::Answer;
use crate::admin::command::{Command, WebhookTest};
use crate::admin::office::{self, Office};
use crate::args::Output;
use crate::console::say;
use crate::failure::Failure;

/// Has a command carried out and prints the answer.
pub(super) async fn run(
    office: Office<'_>,
    command: Command,
    output: Output,
) -> Result<ExitCode, Failure> {
    let answer = office::ask(office, command).await?;
    print(&answer, output)?;
    Ok(match answer {
        Answer::Test(test) if !test.succeeded() => ExitCode::FAILURE,
        _ => ExitCode::SUCCESS,
    })
}

/// `countersign metrics`.
pub(super) async fn metrics(office: Office<'_>, output: Output) -> Result<ExitCode, Failure> {
    run(office, Command::ShowMetrics, output).await
}

/// `countersign webhook test`: fails where the receiver did not answer 2xx.
pub(super) async fn test(
    office: Office<'_>,
    test: WebhookTest,
    output: Output,
) -> Result<ExitCode, Failure> {
    run(office, Command::TestWebhook(test), output).await
}

fn print(answer: &Answer, output: Output) -> Result<(), Failure> {
    if output.json {
        say(&answer
            .to_json()
            .map_err(|error| Failure::because("the answer", &error))?)
    } else {
        say(&answer.to_string())
    }
}
