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
mod searches;
mod text;
mod webhook;

use std::process::ExitCode;

use tokio::runtime::{Builder, Runtime};

use crate::admin::target::Target;
use crate::args::{Cli, LoginCommand, PhoneCommand, Subcommand, TextCommand, WebhookCommand};
use crate::failure::Failure;
use crate::terminal::print;
use crate::{console, mcp, serve, web};

/// Runs the given command.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, Failure> {
    let data = cli.data.as_path();
    let target = match &cli.table {
        None => Target::Data(data),
        Some(table) => Target::Table(table),
    };
    let administers = match &cli.command {
        Subcommand::Confirmations(args) => args.is_operators(),
        Subcommand::Login(args) => args.is_operators(),
        command => matches!(
            command,
            Subcommand::Console(_)
                | Subcommand::Mcp(_)
                | Subcommand::App(_)
                | Subcommand::Key(_)
                | Subcommand::OpenId(_)
                | Subcommand::SigningKey(_)
                | Subcommand::WebhookSecret(_)
                | Subcommand::Provider(_)
                | Subcommand::Audit(_)
                | Subcommand::Attention(_)
                | Subcommand::History(_)
                | Subcommand::System(_)
                | Subcommand::Redactions(_)
        ),
    };
    if cli.table.is_some() && !administers {
        return Err(Failure::new(
            "--table is for `countersign console`, `mcp`, `app`, `key`, `webhook-secret`, `provider`, `audit`, `attention`, \
             `history`, `system`, `redactions`, `confirmations redeliver --failed`, and `confirmations list` and `login list` with --app or --all-apps; \
             docs/operations.md covers the rest of a deployment on AWS",
        ));
    }
    match cli.command {
        Subcommand::Serve(args) => serve::run(data, &args).map(|()| ExitCode::SUCCESS),
        Subcommand::Console(args) => console::run(target, args),
        Subcommand::Mcp(args) => mcp::run(target, args),
        Subcommand::App(args) => block_on(administer::app(target, args)),
        Subcommand::Key(args) => block_on(administer::key(target, args)),
        Subcommand::OpenId(args) => block_on(administer::openid(target, args)),
        Subcommand::SigningKey(args) => block_on(administer::signing_key(target, args)),
        Subcommand::WebhookSecret(args) => block_on(administer::master_secret(target, args)),
        Subcommand::Audit(args) => block_on(administer::run(target, args.request, args.output)),
        Subcommand::Attention(args) => block_on(administer::run(target, args.request, args.output)),
        Subcommand::History(args) => block_on(administer::run(target, args.request, args.output)),
        Subcommand::System(args) => block_on(administer::run(target, args.request, args.output)),
        Subcommand::Redactions(args) => block_on(redactions::run(target, args)),
        Subcommand::Confirmations(args) => block_on(confirmations::run(target, data, &args)),
        Subcommand::Backup(args) => backup::backup(data, &args.file),
        Subcommand::Restore(args) => backup::restore(data, &args.file),
        Subcommand::Check(args) => backup::check(data, &args),
        Subcommand::Metrics(args) => block_on(administer::metrics(target, args)),
        Subcommand::Healthcheck(args) => block_on(healthcheck::run(&args)),
        Subcommand::Provider(args) => block_on(provider::run(target, &args)),
        Subcommand::Places(args) => block_on(places::run(data, &args)),
        Subcommand::Text(TextCommand::Receive(text)) => block_on(text::receive(data, &text)),
        Subcommand::Phone(args) => match args.command {
            PhoneCommand::Text(text) => block_on(phone::text(data, &text)),
            PhoneCommand::Open(open) => block_on(phone::open(data, &args.phone, &open)),
            PhoneCommand::Keys(keys) => phone::keys(&args.phone, &keys),
        },
        Subcommand::Login(args) => match args.command {
            LoginCommand::List(list) => {
                block_on(login::list(target, data, &list, args.output.json))
            }
            LoginCommand::Start(start) => block_on(login::start(data, &start)),
            LoginCommand::Verify(verify) => login::verify(&verify, args.output),
        },
        Subcommand::Webhook(args) => match args.command {
            WebhookCommand::Listen(listen) => block_on(webhook::listen(data, &listen, args.output)),
            WebhookCommand::Verify(verify) => block_on(webhook::verify(data, &verify, args.output)),
            WebhookCommand::Test(test) => block_on(administer::run(target, test, args.output)),
        },
        Subcommand::Openapi => {
            print(countersign_api::openapi::json().trim_end()).map(|()| ExitCode::SUCCESS)
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
