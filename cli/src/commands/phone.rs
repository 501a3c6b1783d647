//! `countersign phone`: a simulated phone.

mod keys;
mod open;

use std::path::Path;
use std::process::ExitCode;

use countersign_domain::primitives::entropy::Entropy as _;
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::generic::{body, sign};
use countersign_system::clock::SystemClock;
use countersign_system::entropy::OsEntropy;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

pub(super) use keys::keys;
pub(super) use open::open;

use super::caller::Caller;
use super::web;
use crate::admin::command::SentText;
use crate::admin::target;
use crate::args::{ServiceArgs, TextArgs};
use crate::console::say;
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::inbound_secret;

/// Sends a text as an SMS provider does and prints its effect. A text without effect is not a
/// failure: it was sent.
pub(super) async fn text(path: &Path, args: &TextArgs) -> Result<ExitCode, Failure> {
    if args.api_key_file.is_some() {
        return simulate(path, args).await;
    }
    let url = target::server_url(path).await?;
    let secret = secret(path)?;
    let id = args.id.clone().unwrap_or_else(new_id);
    let body = body(&args.from, &args.to, &args.message, args.carrier.as_deref());
    let client = web::client()?;
    let mut request = client
        .post(format!("{url}/inbound-sms/generic"))
        .header(CONTENT_TYPE, "application/json");
    for (name, value) in sign(&secret, &id, SystemClock.now(), body.as_bytes()) {
        request = request.header(name, value);
    }
    let (status, answer) = web::send(&url, request.body(body)).await?;
    if !status.is_success() {
        return Err(Failure::new(format!(
            "{url} refused the text: {status} {answer}"
        )));
    }
    let sent = SentText {
        from: args.from.clone(),
        to: args.to.clone(),
        message: args.message.clone(),
    };
    let effect = target::explain(path, sent).await;
    if args.output.json {
        say(&json!({ "id": id, "effect": effect }).to_string())?;
    } else {
        say(effect
            .as_ref()
            .map_or("The server accepted the text.", |effect| {
                effect.summary.as_str()
            }))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Lets the service do what it does with a text from a phone, by a test key.
async fn simulate(data: &Path, args: &TextArgs) -> Result<ExitCode, Failure> {
    let service = ServiceArgs {
        service: args.service.clone(),
        api_key_file: args.api_key_file.clone(),
    };
    let caller = Caller::find(&service, data).await?;
    let text = json!({ "from": args.from, "to": args.to, "text": args.message });
    let request = caller.request(Method::POST, "/simulated-texts");
    let request = request.header(CONTENT_TYPE, "application/json");
    let (url, request) = (&caller.url, request.body(text.to_string()));
    let (status, answer) = web::send(url, request).await?;
    if !status.is_success() {
        return Err(Failure::new(format!(
            "{url} refused the text: {status} {answer}"
        )));
    }
    say(&answer)?;
    Ok(ExitCode::SUCCESS)
}

fn secret(path: &Path) -> Result<WebhookSecret, Failure> {
    let read = DataDir::existing(path)
        .map_err(Failure::from)
        .and_then(|data| inbound_secret::read(&data).map_err(Failure::from))?;
    read.ok_or_else(|| {
        Failure::new(format!(
            "{} holds no secret for signing texts",
            path.display()
        ))
    })
}

/// Generates a provider's id for a new message.
fn new_id() -> String {
    let mut bytes = [0; 12];
    OsEntropy.fill(&mut bytes);
    bytes
        .iter()
        .fold("txt_".to_owned(), |id, byte| format!("{id}{byte:02x}"))
}
