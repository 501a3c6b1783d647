//! `countersign text`: hands over texts that the operator's own modem received.

mod gammu;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::primitives::time::Clock as _;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::generic::{self, Generic};
use countersign_inbound::{InboundProvider as _, sender_within};
use countersign_system::clock::SystemClock;
use reqwest::StatusCode;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::web;
use crate::admin::target;
use crate::admin::texts::ExplainText;
use crate::args::{Output, ReceiveArgs};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::terminal::print;
use crate::{inbound_secret, input};

/// Pause before the second attempt, which doubles up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(8);

/// Maximum size of a text on standard input, in bytes.
const MAX_TEXT: usize = 64 << 10;

/// Hands over the text from the options or from gammu-smsd's environment. Keeps retrying for a while if the
/// server does not respond, because gammu-smsd discards the text regardless of the exit code.
pub(super) async fn receive(data: &Path, args: &ReceiveArgs) -> Result<ExitCode, Failure> {
    let get = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
    let Some(text) = text_of(args, get)? else {
        print("The message holds no text, so there is nothing to hand over.")?;
        return Ok(ExitCode::SUCCESS);
    };
    let secret = match &args.secret_file {
        Some(file) => {
            let secret = input::read_key(file)?.trim().parse::<WebhookSecret>();
            secret.map_err(|error| Failure::because(file.display(), &error))?
        }
        None => own_secret(data)?,
    };
    let deadline = Instant::now() + args.retry_for;
    let mut pause = FIRST_PAUSE;
    loop {
        let failure = match attempt(data, args, &secret, &text).await {
            Ok(()) => break,
            Err(TextRejected::Refused(failure)) => return Err(failure),
            Err(TextRejected::Unavailable(failure)) => failure,
        };
        if Instant::now() + pause > deadline {
            return Err(failure);
        }
        tokio::time::sleep(pause).await;
        pause = MAX_PAUSE.min(pause * 2);
    }
    if args.service.is_some() {
        print_taken(&text.message_id, args.output)?;
    } else {
        print_effect(data, text, args.output).await?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Why the server did not accept a text.
enum TextRejected {
    /// The server will never accept the text.
    Refused(Failure),
    /// The server may accept the text later. It may already have accepted the text, so retries use
    /// the same id.
    Unavailable(Failure),
}

async fn attempt(
    data: &Path,
    args: &ReceiveArgs,
    secret: &WebhookSecret,
    text: &InboundMessage,
) -> Result<(), TextRejected> {
    let url = match &args.service {
        Some(url) => url.to_string(),
        None => target::server_url(data)
            .await
            .map_err(TextRejected::Unavailable)?,
    };
    let sent = hand_over(&url, secret.clone(), text).await;
    let (status, answer) = sent.map_err(TextRejected::Unavailable)?;
    if status.is_success() {
        return Ok(());
    }
    let why = match status.as_u16() {
        401 => ": the server has another secret for the provider generic, or a clock is wrong",
        404 => ": the provider generic is off there",
        421 => ": the server does not know this host",
        _ => "",
    };
    let failure = Failure::new(format!(
        "{url} answered {status}{why} {}",
        web::refusal(&url, status, &answer)
    ));
    if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
        Err(TextRejected::Unavailable(failure))
    } else {
        Err(TextRejected::Refused(failure))
    }
}

/// Returns the text to hand over; `None` if gammu-smsd received a message that is not a text.
fn text_of(
    args: &ReceiveArgs,
    get: impl Fn(&str) -> Option<String>,
) -> Result<Option<InboundMessage>, Failure> {
    let (from, text, phone_id) = if let (Some(from), Some(text)) = (&args.from, &args.text) {
        // A phone may have split an emoji, or a daemon may have left a text in a different
        // encoding.
        let text = if text == "-" {
            let bytes = input::read(Path::new("-"), MAX_TEXT)?;
            String::from_utf8_lossy(&bytes).into_owned()
        } else {
            text.to_string_lossy().into_owned()
        };
        (from.clone(), Some(text), String::new())
    } else {
        let message = gammu::Message::read(get)
            .map_err(|mixed| Failure::because("the message is not handed over", &mixed))?;
        let message = message.ok_or_else(|| {
            Failure::new(
                "give --from and --text, or let gammu-smsd run this with RunOnReceive: there is no \
                 SMS_MESSAGES in the environment",
            )
        })?;
        (message.from, message.text, message.phone_id)
    };
    let to = match &args.to {
        Some(to) => to.clone(),
        None => PhoneNumber::parse_international(&phone_id).map_err(|_| {
            Failure::new(
                "give the modem's own number with --to, or as PhoneID in gammu-smsd's settings: \
                 +, country code, number",
            )
        })?,
    };
    if let Some(country) = args.country
        && !to.fits(country)
    {
        return Err(Failure::new(format!(
            "a SIM of {country} cannot have the modem's number: check --country, and --to or gammu-smsd's PhoneID"
        )));
    }
    let Some(text) = text else { return Ok(None) };
    let from = match args.country {
        Some(country) => sender_within(&from, country),
        None => match PhoneNumber::parse_international(&from) {
            Ok(number) => number.as_str().to_owned(),
            Err(_) if from.starts_with('+') || !from.contains(|c: char| c.is_ascii_digit()) => from,
            Err(_) => {
                return Err(Failure::new(
                    "the sender comes without + and could be of any country: name the modem's with --country",
                ));
            }
        },
    };
    let to = to.as_str().to_owned();
    let message_id = match &args.id {
        Some(id) => id.clone(),
        None => hash_of(&[&from, &to, &text]),
    };
    Ok(Some(InboundMessage {
        provider: generic::NAME,
        channel: Channel::Modem,
        message_id,
        from,
        to,
        text,
        carrier: None,
    }))
}

/// Returns a hash as the id of a text without one. A modem numbers its messages by memory slot, and
/// slots are reused. The content identifies texts well enough: each code works once.
fn hash_of(content: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in content {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    let hex = digest[..16].iter().map(|byte| format!("{byte:02x}"));
    format!("mdm_{}", hex.collect::<String>())
}

/// Posts a text to the generic route of the server at `url`.
pub(super) async fn hand_over(
    url: &str,
    secret: WebhookSecret,
    text: &InboundMessage,
) -> Result<(StatusCode, String), Failure> {
    let signed = Generic::new(secret).sign(text, SystemClock.now(), "");
    let signed = signed.ok_or_else(|| Failure::new("the text cannot be signed"))?;
    let route = format!("{url}/inbound-sms/{}", generic::NAME);
    let mut request = web::client()?.post(route).body(signed.body);
    for (name, value) in signed.headers {
        request = request.header(name, value);
    }
    web::send(url, request).await
}

/// Returns the secret of the provider `generic` for the server of a data directory.
pub(super) fn own_secret(path: &Path) -> Result<WebhookSecret, Failure> {
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

/// Prints the effect of a text on the running server that accepted it.
pub(super) async fn print_effect(
    path: &Path,
    text: InboundMessage,
    output: Output,
) -> Result<(), Failure> {
    let sent = ExplainText {
        from: text.from,
        to: text.to,
        message: text.text,
    };
    match target::explain(path, &sent).await {
        Some(effect) if output.json => {
            print(&json!({ "id": text.message_id, "effect": effect }).to_string())
        }
        Some(effect) => print(&effect.summary),
        None => print_taken(&text.message_id, output),
    }
}

fn print_taken(id: &str, output: Output) -> Result<(), Failure> {
    if output.json {
        print(&json!({ "id": id, "effect": null }).to_string())
    } else {
        print("The server accepted the text.")
    }
}

#[cfg(test)]
mod tests;
