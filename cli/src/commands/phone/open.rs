//! `countersign phone open`: opens a login's link, shows the login, and confirms or denies it.

mod answer;
mod ask;
mod language;
mod screen;
mod service;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::io::{self, BufRead, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;

use countersign_domain::app::AppKey;
use countersign_domain::login::{Context, MobileToken, PhonePayload};
use countersign_domain::primitives::ids::LoginKind;
use countersign_domain::primitives::time::{Clock as _, Timestamp};
use countersign_domain::web::link_host::LinkHost;
use countersign_sealing::Envelope;
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;

use crate::admin::target;
use crate::args::{Decision, OpenArgs, Output};
use crate::console::{complain, say};
use crate::data_dir::DataDir;
use crate::demo::DemoFile;
use crate::failure::Failure;
use crate::phone::association_keys::AssociationKeys;
use crate::phone::opened::Opened;
use crate::phone::payload;
use crate::phone::proof::{self, Confirmation};

use answer::Outcome;
use screen::Screen;
use service::{Phone, Service};

/// Exit code for a login left undecided, so that the browser still waits. Not 1, since nothing
/// failed, and not 2, which clap uses.
const UNDECIDED: u8 = 3;

/// The person at the terminal.
struct Person<'a> {
    /// Standard input; `None` without a terminal.
    input: Option<&'a mut dyn BufRead>,
    /// Prints to standard output.
    say: &'a mut dyn FnMut(&str) -> Result<(), Failure>,
    /// Prints to standard error.
    complain: &'a mut dyn FnMut(&str),
}

/// Opens a login, shows it, and sends the person's decision.
/// `phone` is the phone's own directory.
pub(crate) async fn open(data: &Path, phone: &Path, args: &OpenArgs) -> Result<ExitCode, Failure> {
    let mut input = io::stdin().lock();
    let person = Person {
        input: io::stdin().is_terminal().then_some(&mut input),
        say: &mut say,
        complain: &mut complain,
    };
    open_before(person, data, &AssociationKeys::at(phone), args).await
}

async fn open_before(
    mut person: Person<'_>,
    data: &Path,
    keys: &AssociationKeys,
    args: &OpenArgs,
) -> Result<ExitCode, Failure> {
    if args.link.id.kind() == LoginKind::Plain && !args.allow_unencrypted {
        return Err(Failure::new(
            "the page's browser has no key, so the service could read the payload; add \
             --allow-unencrypted if the app is meant to allow that",
        ));
    }
    let phone = Phone {
        service: Service::at(service_url(data, args).await)?,
        id: args.link.id,
        token: MobileToken::generate(&OsEntropy),
    };
    let app = app_key(data, args)?;
    let opened = phone.open(&app, args.public_user_id.as_ref()).await?;
    let opened_at = SystemClock.now();
    person.show(args.output, &Screen(&opened).to_string())?;
    let decision = match (args.decision(), person.input.as_deref_mut()) {
        (None, Some(input)) => ask::ask(input, &mut person.complain)?,
        (decided, _) => decided,
    };
    let mut outcome = Outcome {
        id: args.link.id,
        opened: &opened,
        decision,
        proven: false,
    };
    let Some(decision) = decision else {
        person.finish(args.output, &outcome)?;
        return Ok(ExitCode::from(UNDECIDED));
    };
    match decision {
        Decision::Confirm => {
            let elapsed = SystemClock.now().since(opened_at);
            let now = opened.server_time.plus(elapsed);
            let said = confirmation(args, &app, keys, &opened, now)?;
            phone.confirm(&said).await?;
            outcome.proven = said.proof().is_some();
        }
        // The payload of a confirmation may be a token, which a denial would show to the service.
        Decision::Deny => {
            let asked_for = args.decision().and(args.payload.as_deref());
            phone.deny(asked_for.unwrap_or_default()).await?;
        }
    }
    person.finish(args.output, &outcome)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns what the phone sends to confirm the login at this time: with a proof, if the phone has a
/// key for its user.
fn confirmation(
    args: &OpenArgs,
    app: &AppKey,
    keys: &AssociationKeys,
    opened: &Opened,
    now: Timestamp,
) -> Result<PhonePayload, Failure> {
    let said = Envelope {
        payload: match &args.payload {
            Some(text) => text.clone(),
            None => payload::usual(args.public_user_id.as_ref(), now),
        },
        salt: payload::salt(&OsEntropy),
    };
    let not_sent = |error: &dyn Error| Failure::because("the payload was not sent", error);
    let signed = Confirmation {
        app,
        origin: &opened.origin,
        login: args.link.id,
        user: args.public_user_id.as_ref(),
        context: opened.context.as_ref().map(Context::as_str),
        payload: &said.payload,
        salt: &said.salt,
        at: now,
    };
    let proof = proof::sign(keys, &signed).map_err(|error| not_sent(&error))?;
    payload::prepare(said, proof, opened, args.link.id, &OsEntropy)
        .map_err(|error| not_sent(&error))
}

impl Person<'_> {
    /// Shows the screen, on standard error with `--json`, which reserves standard output for the
    /// object.
    fn show(&mut self, output: Output, screen: &str) -> Result<(), Failure> {
        if output.json {
            (self.complain)(screen);
            Ok(())
        } else {
            (self.say)(screen)
        }
    }

    fn finish(&mut self, output: Output, outcome: &Outcome<'_>) -> Result<(), Failure> {
        if output.json {
            (self.say)(&screen::escaped(&outcome.to_json().to_string()))
        } else {
            (self.say)(&outcome.to_string())
        }
    }
}

/// Returns the service that the link belongs to: the running server for links of this machine,
/// otherwise the service at the link's host.
async fn service_url(data: &Path, args: &OpenArgs) -> String {
    let host = &args.link.host;
    match &args.service {
        Some(url) => url.to_string(),
        None if is_this_machine(host) => {
            let running = target::server_url(data).await;
            running.unwrap_or_else(|_| format!("http://{host}"))
        }
        None => format!("https://{host}"),
    }
}

fn is_this_machine(host: &LinkHost) -> bool {
    let text = host.as_str();
    let name = text.split_once(':').map_or(text, |(name, _)| name);
    name == "localhost" || name.ends_with(".localhost")
}

/// Returns the app key given as an option, or the demo app's.
fn app_key(path: &Path, args: &OpenArgs) -> Result<AppKey, Failure> {
    if let Some(key) = &args.app_key {
        return Ok(key.clone());
    }
    let demo = DataDir::existing(path).and_then(|data| DemoFile::read(&data));
    let demo = demo.ok().flatten();
    demo.and_then(|file| file.app_key.parse::<AppKey>().ok())
        .ok_or_else(|| {
            Failure::new(format!(
                "give the app's key with --app-key: {} has no demo app",
                path.display()
            ))
        })
}
