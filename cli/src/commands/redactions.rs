//! `countersign redactions`.

use std::process::ExitCode;

use super::administer;
use crate::admin::redactions::{Redaction, RepeatRedactions};
use crate::admin::target::Target;
use crate::args::{RedactionsArgs, RedactionsCommand};
use crate::failure::Failure;
use crate::input;

/// Maximum size of the input lines, in bytes: about 200,000 confirmations.
const MAX_LINES: usize = 16 << 20;

/// Number of confirmations per request; between two requests the server executes others.
const BATCH: usize = 500;

/// Runs `countersign redactions`. `repeat` fails if a confirmation has to be repeated later.
pub(super) async fn run(target: Target<'_>, args: RedactionsArgs) -> Result<ExitCode, Failure> {
    let file = match args.command {
        RedactionsCommand::List(request) => {
            return administer::run(target, request, args.output).await;
        }
        RedactionsCommand::Repeat { file } => file,
    };
    let lines = String::from_utf8(input::read(&file, MAX_LINES)?)
        .map_err(|_| Failure::new(format!("{} is not text", file.display())))?;
    let read = |(number, line): (usize, &str)| {
        line.parse::<Redaction>().map_err(|error| {
            Failure::new(format!("{}, line {}: {error}", file.display(), number + 1))
        })
    };
    let lines = lines.lines().enumerate();
    let redactions: Vec<_> = lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(read)
        .collect::<Result<_, _>>()?;
    let mut ended = ExitCode::SUCCESS;
    for batch in redactions.chunks(BATCH) {
        let redactions = batch.to_vec();
        let request = RepeatRedactions { redactions };
        let this = administer::run(target, request, args.output).await?;
        if this != ExitCode::SUCCESS {
            ended = this;
        }
    }
    Ok(ended)
}
