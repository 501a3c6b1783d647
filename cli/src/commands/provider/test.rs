//! `countersign provider test`.

use countersign_domain::primitives::time::Clock as _;
use countersign_system::clock::SystemClock;
use serde_json::json;

use super::settings_store::SettingsStore;
use crate::admin::providers::trial;
use crate::args::{Output, TestProviderArgs};
use crate::failure::Failure;
use crate::terminal::print;

/// Sends a correctly signed text without a code to the public URL, as the provider would, and fails
/// unless the server accepts it. Lists what only a text from a phone can test.
pub(super) async fn test(
    place: &SettingsStore,
    args: &TestProviderArgs,
    output: Output,
) -> Result<(), Failure> {
    let spec = args.provider.0;
    let name = spec.name;
    let unsigned = || Failure::new(trial::unsigned(name));
    if !spec.has_settings() {
        return Err(unsigned());
    }
    let settings = place.read().await?;
    let public = place.public_url(&settings).await?;
    let all = place.load(&settings, public.as_deref())?;
    let provider = all.get(name).ok_or_else(|| {
        Failure::new(format!(
            "{name} is off: turn it on with `{} provider add {name}`",
            place.command()
        ))
    })?;
    let (server, is_public) = match (&args.url, public) {
        (Some(url), public) => (url.to_string(), public == Some(url.to_string())),
        (None, Some(public)) => (public, true),
        (None, None) => (place.server_url(&settings).await?, false),
    };
    let sent = trial::send(provider, spec, &server, SystemClock.now()).await;
    let trial = match sent.ok_or_else(unsigned)? {
        Err(failure) if is_public && args.url.is_none() => {
            return Err(Failure::new(format!(
                "{failure}; {name} could not reach it either, unless only this machine cannot reach \
                 its own public URL: `--url` names another one"
            )));
        }
        sent => sent?,
    };
    let (url, status) = (&trial.url, trial.status);
    if !trial.is_accepted() {
        return Err(Failure::new(format!(
            "{url} answered {status}{} {}",
            trial.cause(),
            trial.refusal(&server)
        )));
    }
    // The text was signed with the stored settings.
    let console = spec.secrets.label;
    let mut untested = vec![format!("that {name} has this {console} and this URL")];
    if !is_public {
        untested.push("that the public URL leads here".to_owned());
    }
    if output.json {
        let outcome = json!({
            "provider": name,
            "url": url,
            "status": status.as_u16(),
            "notTested": untested,
        });
        return print(&outcome.to_string());
    }
    let untested = untested.join(", and ");
    print(&format!(
        "{url} took the signed text ({status}).\nNot tested: {untested}. Send a real text from a phone."
    ))
}
