//! Twilio Lookup v2.
//!
//! Source: "Line Type Intelligence", <https://www.twilio.com/docs/lookup/v2-api/line-type-intelligence>,
//! read on 22 November 2026.

use std::fmt;

use async_trait::async_trait;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use countersign_domain::confirmation::carrier::CarrierName;
use countersign_domain::primitives::phone::PhoneNumber;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_webhook::client::WebhookClient;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::answer::MAX_ANSWER;
use crate::source::{CarrierSource, SourceError};

/// The origin of Twilio's API.
pub const TWILIO: &str = "https://lookups.twilio.com";

/// Errors which mean that Twilio does not know the number's carrier: unsupported country, outside
/// coverage. Source: <https://www.twilio.com/docs/api/errors/60607> and `/60610`.
const UNKNOWN: [u32; 2] = [60607, 60610];

/// A Twilio API key, in the format of HTTP Basic authentication. `Debug` hides it.
#[derive(Clone)]
pub struct TwilioCredentials(HeaderValue);

impl TwilioCredentials {
    /// Creates credentials from the id and the secret of an API key. Returns `None` if either has
    /// characters that credentials cannot have.
    #[must_use]
    pub fn new(key: &str, secret: &str) -> Option<Self> {
        let visible = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_graphic());
        if !visible(key) || !visible(secret) || key.contains(':') {
            return None;
        }
        let pair = Zeroizing::new(format!("{key}:{secret}"));
        let basic = Zeroizing::new(format!("Basic {}", BASE64_STANDARD.encode(&*pair)));
        let mut value = HeaderValue::from_str(&basic).ok()?;
        value.set_sensitive(true);
        Some(Self(value))
    }
}

impl fmt::Debug for TwilioCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TwilioCredentials(…)")
    }
}

/// Looks up carriers with Twilio Lookup.
#[derive(Clone)]
pub struct TwilioLookup {
    client: WebhookClient,
    origin: String,
    credentials: TwilioCredentials,
}

impl TwilioLookup {
    /// Creates a source at an origin, which is [`TWILIO`] except in tests.
    #[must_use]
    pub fn new(
        client: WebhookClient,
        origin: impl Into<String>,
        credentials: TwilioCredentials,
    ) -> Self {
        Self {
            client,
            origin: origin.into(),
            credentials,
        }
    }
}

#[derive(Deserialize)]
struct Lookup {
    line_type_intelligence: LineType,
}

#[derive(Deserialize)]
struct LineType {
    carrier_name: Option<String>,
    error_code: Option<u32>,
}

#[async_trait]
impl CarrierSource for TwilioLookup {
    async fn ask(&self, number: &PhoneNumber) -> Result<CarrierName, SourceError> {
        // Canonical numbers consist of `+` and digits.
        let digits = number.as_str().trim_start_matches('+');
        let origin = &self.origin;
        let url = format!("{origin}/v2/PhoneNumbers/%2B{digits}?Fields=line_type_intelligence");
        let url = CallbackUrl::from_stored(&url).map_err(|_| SourceError::Request)?;
        let headers = HeaderMap::from_iter([(AUTHORIZATION, self.credentials.0.clone())]);
        let answer = self.client.call(&url, headers, None, MAX_ANSWER).await?;
        let answer: Lookup = serde_json::from_slice(&answer).map_err(|_| SourceError::Malformed)?;
        let LineType {
            carrier_name,
            error_code,
        } = answer.line_type_intelligence;
        match error_code {
            Some(code) if !UNKNOWN.contains(&code) => Err(SourceError::Reported(code)),
            _ => Ok(CarrierName::from_text(&carrier_name.unwrap_or_default())),
        }
    }
}

impl fmt::Debug for TwilioLookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TwilioLookup").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_hidden() {
        let credentials = TwilioCredentials::new("SK0123", "hunter2").unwrap();
        assert!(!format!("{credentials:?}").contains("hunter2"));
        assert!(credentials.0.is_sensitive());
        assert_eq!(credentials.0, "Basic U0swMTIzOmh1bnRlcjI=");
    }

    #[test]
    fn credentials_with_spaces_are_refused() {
        for (key, secret) in [("", "b"), ("a", ""), ("a:", "b"), ("a", "b "), ("a\n", "b")] {
            assert!(TwilioCredentials::new(key, secret).is_none());
        }
    }
}
