//! `countersign app`, `key`, `openid`, `signing-key`, `webhook-secret`, `audit`, `attention`, `history`, `system`, `metrics` and `webhook test`.

mod advice;

use std::process::ExitCode;

use crate::admin::apps::{NewApp, ShownApp};
use crate::admin::request::{Answer, Request};
use crate::admin::running::{ExportMetrics, ShowMetrics};
use crate::admin::target::{self, Target};
use crate::admin::webhook_secrets::{RetireWebhookSecret, RotateWebhookSecret, ShowWebhookSecret};
use crate::args::{
    AppArgs, AppCommand, AssociationKeyCommand, KeyArgs, KeyCommand, MasterSecretArgs,
    MasterSecretCommand, MetricsArgs, OpenIdArgs, OpenIdCommand, Output, PhoneRegistrationCommand,
    SigningKeyArgs, SigningKeyCommand, WebhookSecretArgs,
};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::places::PLACES_ARE_OFF;
use crate::terminal;

/// Runs `countersign app`.
pub(super) async fn app(target: Target<'_>, args: AppArgs) -> Result<ExitCode, Failure> {
    let output = args.output;
    match args.command {
        AppCommand::Create(request) => {
            let created = target::ask(target, request).await?;
            let code = print_answer(&created, output)?;
            if !output.json {
                advise_new(target, &created).await?;
            }
            Ok(code)
        }
        AppCommand::List(request) => run(target, request, output).await,
        AppCommand::Show(request) => {
            let shown = target::ask(target, request).await?;
            let code = print_answer(&shown, output)?;
            // The advice is not repeated each time the app is shown with check codes on.
            if !output.json && !advice::has_check_codes(&shown) {
                advise_check_codes(target, &shown)?;
            }
            Ok(code)
        }
        AppCommand::Update(request) => run(target, request, output).await,
        AppCommand::CheckLink(request) => run(target, request, output).await,
        AppCommand::Delete(request) => run(target, request, output).await,
        AppCommand::WebhookSecret(args) => webhook_secret(target, args, output).await,
        AppCommand::Keys(AssociationKeyCommand::Add(new)) => run(target, new, output).await,
        AppCommand::Keys(AssociationKeyCommand::List(of)) => run(target, of, output).await,
        AppCommand::Keys(AssociationKeyCommand::Revoke(key)) => run(target, key, output).await,
        AppCommand::Keys(AssociationKeyCommand::RevokeAll(of)) => run(target, of, output).await,
        AppCommand::PhoneRegistrations(command) => match command {
            PhoneRegistrationCommand::List(of) => run(target, of, output).await,
            PhoneRegistrationCommand::Show(one) => run(target, one, output).await,
            PhoneRegistrationCommand::Cancel(one) => run(target, one, output).await,
        },
    }
}

async fn webhook_secret(
    target: Target<'_>,
    args: WebhookSecretArgs,
    output: Output,
) -> Result<ExitCode, Failure> {
    let WebhookSecretArgs {
        app,
        rotate,
        retire,
    } = args;
    if rotate {
        run(target, RotateWebhookSecret { app }, output).await
    } else if retire {
        run(target, RetireWebhookSecret { app }, output).await
    } else {
        run(target, ShowWebhookSecret { app }, output).await
    }
}

/// Runs `countersign key`.
pub(super) async fn key(target: Target<'_>, args: KeyArgs) -> Result<ExitCode, Failure> {
    match args.command {
        KeyCommand::Issue(request) => run(target, request, args.output).await,
        KeyCommand::List(request) => run(target, request, args.output).await,
        KeyCommand::Revoke(request) => run(target, request, args.output).await,
    }
}

/// Runs `countersign openid`.
pub(super) async fn openid(target: Target<'_>, args: OpenIdArgs) -> Result<ExitCode, Failure> {
    match args.command {
        OpenIdCommand::IssueSecret(request) => run(target, request, args.output).await,
        OpenIdCommand::ListSecrets(request) => run(target, request, args.output).await,
        OpenIdCommand::RevokeSecret(request) => run(target, request, args.output).await,
        OpenIdCommand::ListKeys(request) => run(target, request, args.output).await,
        OpenIdCommand::RotateKey(request) => run(target, request, args.output).await,
    }
}

/// Runs `countersign signing-key`.
pub(super) async fn signing_key(
    target: Target<'_>,
    args: SigningKeyArgs,
) -> Result<ExitCode, Failure> {
    match args.command {
        SigningKeyCommand::List(request) => run(target, request, args.output).await,
        SigningKeyCommand::Rotate(request) => run(target, request, args.output).await,
    }
}

/// Runs `countersign webhook-secret`.
pub(super) async fn master_secret(
    target: Target<'_>,
    args: MasterSecretArgs,
) -> Result<ExitCode, Failure> {
    match args.command {
        MasterSecretCommand::Replace(request) => run(target, request, args.output).await,
        MasterSecretCommand::Retire(request) => run(target, request, args.output).await,
    }
}

/// Runs `countersign metrics`.
pub(super) async fn metrics(target: Target<'_>, args: MetricsArgs) -> Result<ExitCode, Failure> {
    if args.prometheus {
        run(target, ExportMetrics {}, args.output).await
    } else {
        run(target, ShowMetrics {}, args.output).await
    }
}

/// Sends a request to its target and prints the answer.
pub(super) async fn run<R: Request>(
    target: Target<'_>,
    request: R,
    output: Output,
) -> Result<ExitCode, Failure> {
    print_answer(&target::ask(target, request).await?, output)
}

fn print_answer<A: Answer>(answer: &A, output: Output) -> Result<ExitCode, Failure> {
    if output.json {
        let json = answer.json();
        terminal::print(&json.map_err(|error| Failure::because("the answer", &error))?)?;
    } else {
        terminal::print(&answer.text())?;
    }
    complain_of_damage(answer.left_out());
    Ok(if answer.is_success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Says how many items a list lacks because they cannot be read.
pub(super) fn complain_of_damage(left_out: usize) {
    if left_out > 0 {
        terminal::complain(&format!(
            "countersign: {left_out} more cannot be read, because the store is damaged: stop the server, and run \
             `countersign check`"
        ));
    }
}

async fn advise_new(target: Target<'_>, NewApp(app): &NewApp) -> Result<(), Failure> {
    advise_check_codes(target, app)?;
    if let Target::Data(path) = target
        && !target::knows_places(&DataDir::existing(path)?).await
    {
        let program = target.command();
        terminal::print(&format!("\n{PLACES_ARE_OFF}\n\n  {program} places fetch"))?;
    }
    Ok(())
}

fn advise_check_codes(target: Target<'_>, app: &ShownApp) -> Result<(), Failure> {
    terminal::print(&advice::check_codes(app, &target.command()))
}
