//! `countersign phone`: a simulated phone.

mod keys;
mod open;

use std::path::Path;
use std::process::ExitCode;

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::entropy::Entropy as _;
use countersign_inbound::generic;
use countersign_system::entropy::OsEntropy;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

pub(super) use keys::keys;
pub(super) use open::open;

use super::{caller, web};
use crate::admin::target;
use crate::args::{ServiceArgs, TextArgs};
use crate::failure::Failure;
use crate::terminal::print;

/// Sends a text as an SMS provider does, and prints its effect. A text without effect is not an
/// error: it was sent.
pub(super) async fn text(path: &Path, args: &TextArgs) -> Result<ExitCode, Failure> {
    if args.api_key_file.is_some() {
        return simulate(path, args).await;
    }
    let url = target::server_url(path).await?;
    let secret = super::text::own_secret(path)?;
    let text = InboundMessage {
        provider: generic::NAME,
        channel: Channel::Sms,
        message_id: args.id.clone().unwrap_or_else(new_id),
        from: args.from.clone(),
        to: args.to.clone(),
        text: args.message.clone(),
        carrier: args.carrier.clone(),
    };
    let (status, answer) = super::text::hand_over(&url, secret, &text).await?;
    if !status.is_success() {
        return Err(Failure::new(format!(
            "{url} refused the text: {status} {}",
            web::refusal(&url, status, &answer)
        )));
    }
    super::text::print_effect(path, text, args.output).await?;
    Ok(ExitCode::SUCCESS)
}

/// Simulates a text from a phone with a test key.
async fn simulate(data: &Path, args: &TextArgs) -> Result<ExitCode, Failure> {
    let service = ServiceArgs {
        service: args.service.clone(),
        api_key_file: args.api_key_file.clone(),
    };
    let key = caller::required_api_key(&service, data)?;
    let url = caller::url(&service, data).await?;
    let text = json!({ "from": args.from, "to": args.to, "text": args.message });
    let request = web::client()?.post(format!("{url}/simulated-texts"));
    let request = request.header("x-api-key", key.reveal());
    let request = request.header(CONTENT_TYPE, "application/json");
    let (status, answer) = web::send(&url, request.body(text.to_string())).await?;
    if !status.is_success() {
        return Err(Failure::new(format!(
            "{url} refused the text: {status} {}",
            web::refusal(&url, status, &answer)
        )));
    }
    print(&answer)?;
    Ok(ExitCode::SUCCESS)
}

/// Generates a message id as a provider would.
fn new_id() -> String {
    let mut bytes = [0; 12];
    OsEntropy.fill(&mut bytes);
    bytes
        .iter()
        .fold("txt_".to_owned(), |id, byte| format!("{id}{byte:02x}"))
}
