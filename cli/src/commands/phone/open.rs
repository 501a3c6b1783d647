//! `countersign phone open`: opens a login's link, shows the login, and confirms or denies it.

mod answer;
mod ask;
mod language;
mod screen;
mod service;
#[cfg(test)]
mod tests;

use std::io::{self, BufRead, IsTerminal as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use countersign_domain::app::AppKey;
use countersign_domain::login::ClaimedUserId;
use countersign_domain::primitives::time::Clock;
use countersign_sdk::{AssociationKeys, Client, Configuration, RetryPolicy, SdkError, Session};
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;

use crate::admin::apps::{ListApps, ShownApp};
use crate::admin::target::{self, Target};
use crate::args::{Decision, OpenArgs, Output};
use crate::data_dir::DataDir;
use crate::demo::DemoFile;
use crate::failure::Failure;
use crate::phone::{payload, platform};
use crate::print::Tree;
use crate::terminal::{complain, print};

use answer::Outcome;
use screen::Screen;
use service::{Service, explain};

/// Exit code for a login left undecided, so that the browser is still waiting. Not 1, since nothing
/// failed, and not 2, which clap uses.
const UNDECIDED: u8 = 3;

/// The user at the terminal.
struct Person<'a> {
    /// Standard input; `None` without a terminal.
    input: Option<&'a mut dyn BufRead>,
    /// Prints to standard output.
    print: &'a mut dyn FnMut(&str) -> Result<(), Failure>,
    /// Prints to standard error.
    complain: &'a mut dyn FnMut(&str),
}

/// A phone's association keys and its clock.
struct PhoneParts {
    keys: Arc<dyn AssociationKeys>,
    clock: Arc<dyn Clock>,
}

/// Opens a login, shows it, and sends the user's decision. `phone` is the phone's own directory.
pub(crate) async fn open(data: &Path, phone: &Path, args: &OpenArgs) -> Result<ExitCode, Failure> {
    let mut input = io::stdin().lock();
    let person = Person {
        input: io::stdin().is_terminal().then_some(&mut input),
        print: &mut print,
        complain: &mut complain,
    };
    let parts = PhoneParts {
        keys: Arc::new(super::keys::at(phone)),
        clock: Arc::new(SystemClock),
    };
    open_before(person, data, parts, args).await
}

async fn open_before(
    mut person: Person<'_>,
    data: &Path,
    phone: PhoneParts,
    args: &OpenArgs,
) -> Result<ExitCode, Failure> {
    let url = service_url(data, args).await;
    let client = client(&url, phone, args)?;
    let keys = app_keys(data, args).await?;
    let session = initialize(&client, &keys, &url, args).await?;
    person.show(args.output, &Screen(&session).to_string())?;
    let decision = match (args.decision(), person.input.as_deref_mut()) {
        (None, Some(input)) => ask::ask(input, &mut person.complain)?,
        (decided, _) => decided,
    };
    let mut outcome = Outcome {
        session: &session,
        decision,
        proven: false,
    };
    let Some(decision) = decision else {
        person.finish(args.output, &outcome)?;
        return Ok(ExitCode::from(UNDECIDED));
    };
    match decision {
        Decision::Confirm => {
            let payload = match &args.payload {
                Some(text) => text.clone(),
                None => payload::usual(args.public_user_id.as_ref(), session.now()),
            };
            let confirmed = session.confirm(&payload).await;
            let confirmed =
                confirmed.map_err(|error| explain("the login is not confirmed", &url, &error))?;
            outcome.proven = confirmed.proven;
        }
        // The payload of a confirmation may be a token, which a denial would reveal to the service.
        Decision::Deny => {
            let asked_for = args.decision().and(args.payload.as_deref());
            let denied = session.deny(asked_for.unwrap_or_default()).await;
            denied.map_err(|error| explain("the login is not denied", &url, &error))?;
        }
    }
    person.finish(args.output, &outcome)?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the login as one of these apps. Apps may share a link host, and the link does not identify the app: the
/// wrong app gets the not-found answer.
async fn initialize(
    client: &Client,
    keys: &[AppKey],
    url: &str,
    args: &OpenArgs,
) -> Result<Session, Failure> {
    let id = args.link.id.to_string();
    let user = args.public_user_id.as_ref().map(ClaimedUserId::as_str);
    let mut keys = keys.iter().peekable();
    while let Some(key) = keys.next() {
        match client.initialize_qr_session(key.as_str(), &id, user).await {
            Ok(session) => return Ok(session),
            Err(error) if keys.peek().is_some() && is_unknown(&error) => {}
            Err(error) => return Err(explain("the login cannot be opened", url, &error)),
        }
    }
    Err(Failure::new("there is no app to open the login as"))
}

/// Returns whether the error means that the app has no such login.
fn is_unknown(error: &SdkError) -> bool {
    error
        .problem()
        .is_some_and(|problem| problem.code == "session_not_found")
}

/// Returns a phone that calls the service at a URL.
fn client(url: &str, phone: PhoneParts, args: &OpenArgs) -> Result<Client, Failure> {
    // The running server of local mode may listen on an address that is not loopback.
    let host = &args.link.host;
    let name = if args.service.is_none() && host.is_loopback() {
        format!("{}://{host}", host.scheme())
    } else {
        url.to_owned()
    };
    let configuration = Configuration::new(&name, &[]);
    let configuration = configuration?;
    let languages: Vec<String> = language::own().into_iter().collect();
    let configuration = configuration
        .accept_plain_logins(args.browser.allow_unencrypted)
        .show_contexts(true)
        .return_to_pages(args.browser.same_phone)
        .retry(RetryPolicy::after(vec![Duration::ZERO]))
        .languages(&languages)?;
    let service = Arc::new(Service::at(name, url.to_owned())?);
    let platform = platform::new_phone(service, phone.keys, Arc::new(OsEntropy), phone.clock);
    Ok(Client::new(configuration, platform))
}

impl Person<'_> {
    /// Shows the screen; with `--json` on standard error, because standard output is reserved for
    /// the JSON object.
    fn show(&mut self, output: Output, screen: &str) -> Result<(), Failure> {
        if output.json {
            (self.complain)(screen);
            Ok(())
        } else {
            (self.print)(screen)
        }
    }

    fn finish(&mut self, output: Output, outcome: &Outcome<'_>) -> Result<(), Failure> {
        if output.json {
            (self.print)(&outcome.to_json().to_string())
        } else {
            (self.print)(&outcome.to_string())
        }
    }
}

/// Returns the service that the link belongs to: the running server for links to localhost,
/// otherwise the service at the link's host.
async fn service_url(data: &Path, args: &OpenArgs) -> String {
    if let Some(url) = &args.service {
        return url.to_string();
    }
    let host = &args.link.host;
    let at_host = || format!("{}://{host}", host.scheme());
    if host.is_loopback() {
        let running = target::server_url(data).await;
        running.unwrap_or_else(|_| at_host())
    } else {
        at_host()
    }
}

/// Returns the app key from the options, the keys of the apps whose links have this host, or the demo app's
/// key.
async fn app_keys(path: &Path, args: &OpenArgs) -> Result<Vec<AppKey>, Failure> {
    if let Some(key) = &args.app_key {
        return Ok(vec![key.clone()]);
    }
    let host = args.link.host.as_str();
    if let Ok(listed) = target::ask(Target::Data(path), ListApps {}).await {
        let apps = listed.items.iter();
        let apps = apps.filter(|app| app.login("linkHost").and_then(Tree::as_str) == Some(host));
        let keys: Vec<_> = apps.filter_map(ShownApp::app_key).collect();
        if !keys.is_empty() {
            return Ok(keys);
        }
    }
    let demo = DataDir::existing(path).and_then(|data| DemoFile::read(&data));
    let demo = demo.ok().flatten();
    let key = demo.and_then(|file| file.app_key.parse::<AppKey>().ok());
    key.map(|key| vec![key]).ok_or_else(|| {
        Failure::new(format!(
            "give the app's key with --app-key: {} has no app with links to {host}, and no demo app",
            path.display()
        ))
    })
}
