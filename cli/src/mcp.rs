//! `countersign mcp`: lets an assistant read what the console shows, over standard input and output (Model Context
//! Protocol).
//!
//! An assistant follows instructions wherever it reads them, and strangers write much of what it reads here. So it
//! gets no request that changes, reveals or sends anything ([`tools`]), and texts by strangers are marked
//! ([`answer`], [`foreign`]).

mod answer;
mod assistant;
mod foreign;
mod pace;
#[cfg(test)]
mod tests;
mod tools;

use std::io::{IsTerminal as _, stdin};
use std::process::ExitCode;

use countersign_system::entropy::OsEntropy;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio;
use tokio::runtime::Builder;

use crate::admin::Place;
use crate::admin::target::Target;
use crate::args::McpArgs;
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::serve::signals::Signals;
use crate::terminal;

use assistant::Assistant;

/// Worker threads: opening the data of a stopped server occupies one.
const THREADS: usize = 2;

/// Maximum length of a message, in bytes.
const MAX_LINE: usize = 1 << 20;

/// Serves an assistant until it closes standard input or a signal ends the process.
pub(crate) fn run(target: Target<'_>, args: McpArgs) -> Result<ExitCode, Failure> {
    if let Target::Data(path) = target {
        DataDir::existing(path)?;
    }
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()
        .map_err(|error| Failure::because("cannot start", &error))?;
    let ended = runtime.block_on(serve(target.into(), args));
    // After a signal, a thread still waits for input. It must not keep the process.
    runtime.shutdown_background();
    ended.map(|()| ExitCode::SUCCESS)
}

async fn serve(place: Place, args: McpArgs) -> Result<(), Failure> {
    let mut signals = Signals::listen()?;
    if stdin().is_terminal() {
        terminal::complain(
            "countersign: an assistant starts this command and sends it requests; Ctrl-D ends it",
        );
    }
    let assistant = Assistant::new(place, args.metadata, Box::new(OsEntropy));
    tokio::select! {
        () = signals.first() => Ok(()),
        ended = converse(assistant) => ended,
    }
}

async fn converse(assistant: Assistant) -> Result<(), Failure> {
    let (input, output) = stdio();
    let transport = AsyncRwTransport::new(input, output).with_max_line_length(MAX_LINE);
    let service = match assistant.serve(transport).await {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Failure::because("the assistant's first messages", &error)),
    };
    let ended = service.waiting().await;
    ended.map_or_else(
        |error| Err(Failure::because("the conversation broke", &error)),
        |_| Ok(()),
    )
}
