//! The commands other than `serve`, one module each.

mod administer;
mod backup;
mod caller;
mod confirmations;
mod healthcheck;
mod login;
mod pages;
mod phone;
mod places;
mod provider;
mod redactions;
mod text;
mod web;
mod webhook;

use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

use crate::admin::command::Command;
use crate::admin::target::Target;
use crate::args::{Cli, LoginCommand, PhoneCommand, TextCommand, WebhookCommand, What};
use crate::console::say;
use crate::failure::Failure;
use crate::serve;

/// Runs the command that the command line names.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let data = cli.data.as_path();
    let target = match &cli.table {
        None => Target::Data(data),
        Some(table) => Target::Table(table),
    };
    let administers = matches!(
        cli.what,
        What::App(_)
            | What::Key(_)
            | What::SigningKey(_)
            | What::WebhookSecret(_)
            | What::Provider(_)
            | What::Audit(_)
            | What::Redactions(_)
    );
    if cli.table.is_some() && !administers {
        return Err(Failure::new(
            "--table is for `countersign app`, `key`, `webhook-secret`, `provider`, `audit` and `redactions`; \
             docs/operations.md covers the rest of a deployment on AWS",
        ));
    }
    match cli.what {
        What::Serve(args) => serve::run(data, &args).map(|()| ExitCode::SUCCESS),
        What::App(args) => {
            let output = args.output;
            block_on(administer::run(target, args.into(), output))
        }
        What::Key(args) => {
            let output = args.output;
            block_on(administer::run(target, args.into(), output))
        }
        What::SigningKey(args) => {
            let output = args.output;
            block_on(administer::run(target, args.into(), output))
        }
        What::WebhookSecret(args) => {
            let output = args.output;
            block_on(administer::run(target, args.into(), output))
        }
        What::Audit(args) => {
            let command = Command::ListAudit(args.query);
            block_on(administer::run(target, command, args.output))
        }
        What::Redactions(args) => block_on(redactions::run(target, args)),
        What::Confirmations(args) => block_on(confirmations::run(data, &args)),
        What::Backup(args) => backup::backup(data, &args.file),
        What::Restore(args) => backup::restore(data, &args.file),
        What::Check(args) => backup::check(data, &args),
        What::Metrics(args) => block_on(administer::metrics(target, args)),
        What::Healthcheck(args) => block_on(healthcheck::run(&args)),
        What::Provider(args) => block_on(provider::run(target, &args)),
        What::Places(args) => block_on(places::run(data, &args)),
        What::Text(TextCommand::Receive(text)) => block_on(text::receive(data, &text)),
        What::Phone(args) => match args.what {
            PhoneCommand::Text(text) => block_on(phone::text(data, &text)),
            PhoneCommand::Open(open) => block_on(phone::open(data, &args.phone, &open)),
            PhoneCommand::Keys(keys) => phone::keys(&args.phone, &keys),
        },
        What::Login(args) => match args.what {
            LoginCommand::List(list) => block_on(login::list(data, &list, args.output.json)),
            LoginCommand::Start(start) => block_on(login::start(data, &start)),
            LoginCommand::Verify(verify) => login::verify(&verify, args.output),
        },
        What::Webhook(args) => match args.what {
            WebhookCommand::Listen(listen) => block_on(webhook::listen(data, &listen, args.output)),
            WebhookCommand::Verify(verify) => block_on(webhook::verify(data, &verify, args.output)),
            WebhookCommand::Test(test) => block_on(administer::test(target, test, args.output)),
        },
        What::Openapi => {
            say(countersign_api::openapi::json().trim_end()).map(|()| ExitCode::SUCCESS)
        }
    }
}

/// Runs a small command on a single-threaded runtime.
fn block_on<T>(command: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime: Runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::because("cannot start", &error))?;
    runtime.block_on(command)
}
