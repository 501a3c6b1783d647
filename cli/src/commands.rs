//! One module for each thing that the command does besides serving.

mod administer;
mod backup;
mod healthcheck;
mod phone;
mod web;
mod webhook;

use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

use crate::admin::office::Office;
use crate::args::{Cli, PhoneCommand, WebhookCommand, What};
use crate::console::say;
use crate::failure::Failure;
use crate::serve;

/// Does what the command line says.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let data = cli.data.as_path();
    let office = match &cli.table {
        None => Office::Data(data),
        Some(table) => Office::Table(table),
    };
    let administers = matches!(cli.what, What::App(_) | What::Key(_) | What::SigningKey(_));
    if cli.table.is_some() && !administers {
        return Err(Failure::new(
            "--table is for `countersign app` and `countersign key`; everything else of a deployment \
             on AWS is in docs/operations.md",
        ));
    }
    match cli.what {
        What::Serve(args) => serve::run(data, &args).map(|()| ExitCode::SUCCESS),
        What::App(args) => {
            let output = args.output;
            block_on(administer::run(office, args.into(), output))
        }
        What::Key(args) => {
            let output = args.output;
            block_on(administer::run(office, args.into(), output))
        }
        What::SigningKey(args) => {
            let output = args.output;
            block_on(administer::run(office, args.into(), output))
        }
        What::Backup(args) => block_on(backup::backup(data, &args.file)),
        What::Restore(args) => backup::restore(data, &args.file),
        What::Check(args) => backup::check(data, &args),
        What::Metrics(output) => block_on(administer::metrics(office, output)),
        What::Healthcheck(args) => block_on(healthcheck::run(&args)),
        What::Phone(args) => match args.what {
            PhoneCommand::Text(text) => block_on(phone::text(data, &text)),
            PhoneCommand::Open(open) => block_on(phone::open(data, &open)),
        },
        What::Webhook(args) => match args.what {
            WebhookCommand::Listen(listen) => block_on(webhook::listen(data, &listen, args.output)),
            WebhookCommand::Verify(verify) => block_on(webhook::verify(data, &verify, args.output)),
            WebhookCommand::Test(test) => block_on(administer::test(office, test, args.output)),
        },
        What::Openapi => {
            say(countersign_api::openapi::json().trim_end()).map(|()| ExitCode::SUCCESS)
        }
    }
}

/// Runs a small command on a runtime of one thread.
fn block_on<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime: Runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::because("cannot start", &error))?;
    runtime.block_on(command)
}
