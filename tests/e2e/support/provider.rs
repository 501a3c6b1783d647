//! A simulated SMS provider that signs with a third-party library.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::{Answer, Facts, Http};

/// Sends a text to the server as a provider does.
pub(crate) async fn deliver_text(
    facts: &Facts,
    message_id: &str,
    from: &str,
    text: &str,
) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
    let body = json!({"from": from, "to": facts.send_to, "text": text}).to_string();
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let webhook = standardwebhooks::Webhook::new(&facts.inbound_secret)?;
    let signature = webhook.sign(message_id, i64::try_from(now)?, body.as_bytes())?;
    Http::new(&facts.url)
        .with("webhook-id", message_id)
        .with("webhook-timestamp", &now.to_string())
        .with("webhook-signature", &signature)
        .try_call("POST", "/inbound-sms/generic", Some(body))
        .await
}
