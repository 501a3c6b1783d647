//! `countersign provider test`.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_domain::primitives::time::Clock as _;
use countersign_inbound::{InboundError, Outcome};
use countersign_system::clock::SystemClock;
use serde_json::json;

use super::super::web;
use super::random;
use super::settings_store::SettingsStore;
use crate::args::{Output, TestProviderArgs};
use crate::demo;
use crate::failure::Failure;
use crate::terminal::print;

/// A fictional number (NANP 555-0100).
const FROM: &str = "+12025550100";

/// Sends a correctly signed text without a code to the public URL, as the provider would, and fails
/// unless the server accepts it. Lists what only a text from a phone can test.
pub(super) async fn test(
    place: &SettingsStore,
    args: &TestProviderArgs,
    output: Output,
) -> Result<(), Failure> {
    let spec = args.provider.0;
    let name = spec.name;
    if !spec.has_settings() {
        return Err(unsigned(name));
    }
    let settings = place.read().await?;
    let all = place.load(&settings).await?;
    let provider = all.get(name).ok_or_else(|| {
        Failure::new(format!(
            "{name} is off: turn it on with `{} provider add {name}`",
            place.command()
        ))
    })?;
    let text = InboundMessage {
        provider: provider.name(),
        channel: spec.channel,
        message_id: format!("test-{}", random(12)),
        from: FROM.to_owned(),
        to: demo::NUMBER.to_owned(),
        text: "A test of Countersign, without a code".to_owned(),
        carrier: None,
    };
    let signed = provider.sign(&text, SystemClock.now(), &random(12));
    let signed = signed.ok_or_else(|| unsigned(name))?;
    let public = place.public_url(&settings).await?;
    let (server, is_public) = match (&args.url, public) {
        (Some(url), public) => (url.to_string(), public == Some(url.to_string())),
        (None, Some(public)) => (public, true),
        (None, None) => (place.server_url(&settings).await?, false),
    };
    let url = format!("{server}/inbound-sms/{name}");
    let mut request = web::client()?.post(&url).body(signed.body);
    for (name, value) in signed.headers {
        request = request.header(name, value);
    }
    let (status, answer) = match web::send(&server, request).await {
        Err(failure) if is_public && args.url.is_none() => {
            return Err(Failure::new(format!(
                "{failure}; {name} could not reach it either, unless only this machine cannot reach \
                 its own public URL: `--url` names another one"
            )));
        }
        sent => sent?,
    };
    if !status.is_success() {
        let refused = provider.answer(Outcome::Refused(InboundError::NotAuthentic));
        let why = match status.as_u16() {
            status if status == refused.status => {
                ": the server has other secrets or another public URL"
            }
            421 => ": the server does not know this host; start it with --public-url",
            404 => ": the provider is off there",
            _ => "",
        };
        return Err(Failure::new(format!(
            "{url} answered {status}{why} {}",
            web::refusal(&server, status, &answer)
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

fn unsigned(name: &str) -> Failure {
    Failure::new(format!(
        "only the provider itself can sign for {name}: send a real text from a phone"
    ))
}
