//! `countersign app`, `key`, `signing-key`, `audit`, `metrics` and `webhook test`.

mod advice;

use std::process::ExitCode;

use crate::admin::answer::{AdminAnswer, AppView};
use crate::admin::command::{Command, WebhookTest};
use crate::admin::target::{self, Target};
use crate::args::{MetricsArgs, Output};
use crate::console::{complain, say};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::places::PLACES_ARE_OFF;

use advice::Advised;

/// Carries out a command and prints the answer.
pub(super) async fn run(
    target: Target<'_>,
    command: Command,
    output: Output,
) -> Result<ExitCode, Failure> {
    let advised = Advised::of(&command).filter(|_| !output.json);
    let answer = target::ask(target, command).await?;
    print(&answer, output)?;
    let left_out = answer.left_out();
    if left_out > 0 {
        complain(&format!(
            "countersign: {left_out} more cannot be read, because the store is damaged: stop the server, and run \
             `countersign check`"
        ));
    }
    if let (Some(advised), Some(app)) = (advised, advice::app(&answer)) {
        advise(target, advised, app).await?;
    }
    Ok(match answer {
        AdminAnswer::Test(test) if !test.succeeded() => ExitCode::FAILURE,
        AdminAnswer::Repeated(repeated) if !repeated.to_repeat_later.is_empty() => {
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    })
}

/// Runs `countersign metrics`.
pub(super) async fn metrics(target: Target<'_>, args: MetricsArgs) -> Result<ExitCode, Failure> {
    let command = if args.prometheus {
        Command::ExportMetrics
    } else {
        Command::ShowMetrics
    };
    run(target, command, args.output).await
}

/// Runs `countersign webhook test`, which fails unless the receiver answers 2xx.
pub(super) async fn test(
    target: Target<'_>,
    test: WebhookTest,
    output: Output,
) -> Result<ExitCode, Failure> {
    run(target, Command::TestWebhook(test), output).await
}

/// Prints advice about an app.
async fn advise(target: Target<'_>, advised: Advised, app: &AppView) -> Result<(), Failure> {
    let program = target.command();
    // Check codes that are on need no advice whenever the app is shown.
    if advised == Advised::Create || !app.login.check_code {
        say(&advice::check_codes(app, &program))?;
    }
    if let (Advised::Create, Target::Data(path)) = (advised, target)
        && !target::knows_places(&DataDir::existing(path)?).await
    {
        say(&format!("\n{PLACES_ARE_OFF}\n\n  {program} places fetch"))?;
    }
    Ok(())
}

fn print(answer: &AdminAnswer, output: Output) -> Result<(), Failure> {
    if output.json {
        say(&answer
            .to_json()
            .map_err(|error| Failure::because("the answer", &error))?)
    } else {
        say(&answer.to_string())
    }
}
