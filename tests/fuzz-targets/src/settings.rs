//! The settings of SMS providers. An operator writes the settings, including the secrets in them.

use std::str::FromStr as _;
use std::sync::Arc;

use countersign_inbound::{PublicUrl, Settings};
use serde_json::Value;

use crate::providers::OneCertificate;

/// Settings are accepted or refused, and neither a refusal nor `Debug` shows a secret.
pub(crate) fn settings(input: &[u8]) {
    if let Ok(text) = std::str::from_utf8(input)
        && let Ok(url) = PublicUrl::from_str(text)
    {
        assert!(url.provider_url("twilio").ends_with("/inbound-sms/twilio"));
    }
    let certificates = Arc::new(OneCertificate::default());
    let read = Settings::parse(input);
    let read = read.and_then(|settings| settings.providers(Some(certificates)));
    let shown = match &read {
        Ok(providers) => {
            for provider in providers.iter() {
                assert!(providers.get(provider.name()).is_some());
            }
            format!("{providers:?}")
        }
        Err(error) => error.to_string(),
    };
    let Ok(Value::Object(members)) = serde_json::from_slice(input) else {
        return;
    };
    for settings in members.values().filter_map(Value::as_object) {
        for (name, value) in settings {
            // Neither setting is secret, and `Debug` shows both.
            if ["publicKeys", "topic"].contains(&name.as_str()) {
                continue;
            }
            each_secret(value, &mut |secret| {
                assert!(!shown.contains(secret), "{shown}");
            });
        }
    }
}

/// Calls a function with every string that is too long to be one of our own words.
fn each_secret(value: &Value, check: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if text.len() >= 24 => check(text),
        Value::Array(list) => {
            for value in list {
                each_secret(value, check);
            }
        }
        _ => {}
    }
}
