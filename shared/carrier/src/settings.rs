//! The lookup settings as JSON.
//!
//! ```json
//! {"twilio": {"apiKey": "SK0123", "secret": "0123456789"}, "maxPerDay": 500}
//! ```

use std::net::IpAddr;
use std::sync::Arc;

use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::web::callback_url::{CallbackHost, CallbackUrl};
use countersign_webhook::client::WebhookClient;
use serde::Deserialize;
use thiserror::Error;
use zeroize::ZeroizeOnDrop;

use crate::bounded::{BoundedLookup, DEFAULT_MAX_PER_DAY};
use crate::twilio::{TWILIO, TwilioCredentials, TwilioLookup};

/// Lookup settings.
#[derive(Clone, Debug)]
pub struct LookupSettings {
    /// The API key for Twilio.
    pub credentials: TwilioCredentials,
    /// The origin of Twilio's API, or of a test server.
    origin: String,
    /// Maximum number of calls that a process makes per day; `None` for the default.
    pub max_per_day: Option<u32>,
}

/// Why settings are refused. No message contains a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LookupSettingsError {
    /// The text is not JSON in the documented format.
    #[error("the settings are not valid at line {line}, column {column}")]
    Shape {
        /// Line, starting at 1.
        line: usize,
        /// Column, starting at 0.
        column: usize,
    },
    /// The credentials have characters other than visible ASCII.
    #[error("apiKey and secret must be visible ASCII characters, without spaces")]
    Credentials,
    /// The test server is not on this machine.
    #[error("testOrigin must be http and a loopback address")]
    TestOrigin,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    twilio: Twilio,
    max_per_day: Option<u32>,
}

#[derive(Deserialize, ZeroizeOnDrop)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Twilio {
    api_key: String,
    secret: String,
    test_origin: Option<String>,
}

impl LookupSettings {
    /// Parses settings.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON in the documented format, or a value is invalid.
    pub fn parse(json: &[u8]) -> Result<Self, LookupSettingsError> {
        let written: Written =
            serde_json::from_slice(json).map_err(|error| LookupSettingsError::Shape {
                line: error.line(),
                column: error.column(),
            })?;
        let twilio = &written.twilio;
        let credentials = TwilioCredentials::new(&twilio.api_key, &twilio.secret);
        Ok(Self {
            credentials: credentials.ok_or(LookupSettingsError::Credentials)?,
            origin: match &twilio.test_origin {
                None => TWILIO.to_owned(),
                Some(origin) => on_this_machine(origin).ok_or(LookupSettingsError::TestOrigin)?,
            },
            max_per_day: written.max_per_day,
        })
    }

    /// Creates the port. `max_per_day` applies unless the settings specify a maximum.
    #[must_use]
    pub fn lookup(
        self,
        client: WebhookClient,
        max_per_day: Option<u32>,
        entropy: &dyn Entropy,
    ) -> BoundedLookup {
        let max_per_day = self.max_per_day.or(max_per_day);
        let source = TwilioLookup::new(client, self.origin, self.credentials);
        let max_per_day = max_per_day.unwrap_or(DEFAULT_MAX_PER_DAY);
        BoundedLookup::new(Arc::new(source), max_per_day, entropy)
    }
}

/// Returns the origin if it is a test server on this machine: settings must not send credentials
/// elsewhere. The client can reach such a server only in local mode.
fn on_this_machine(origin: &str) -> Option<String> {
    let url = CallbackUrl::from_stored(origin).ok()?;
    let CallbackHost::Address(address) = url.host() else {
        return None;
    };
    let plain = origin.starts_with("http://") && IpAddr::is_loopback(&address);
    plain.then(|| url.origin())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_origin(origin: &str) -> Result<String, LookupSettingsError> {
        let json = format!(
            r#"{{"twilio":{{"apiKey":"SK1","secret":"hunter2","testOrigin":"{origin}"}}}}"#
        );
        LookupSettings::parse(json.as_bytes()).map(|settings| settings.origin)
    }

    #[test]
    fn credentials_go_to_twilio() {
        let json = br#"{"twilio":{"apiKey":"SK1","secret":"hunter2"}}"#;
        let settings = LookupSettings::parse(json).unwrap();
        assert_eq!(settings.origin, TWILIO);
        assert_eq!(settings.max_per_day, None);
        assert!(!format!("{settings:?}").contains("hunter2"));
    }

    #[test]
    fn settings_limit_the_calls_of_a_day() {
        let json = br#"{"twilio":{"apiKey":"SK1","secret":"hunter2"},"maxPerDay":500}"#;
        let settings = LookupSettings::parse(json).unwrap();
        assert_eq!(settings.max_per_day, Some(500));
    }

    #[test]
    fn test_origin_is_on_this_machine() {
        for there in ["http://127.0.0.1:8080", "http://[::1]:8080"] {
            assert_eq!(with_origin(there).as_deref(), Ok(there));
        }
        for elsewhere in [
            "http://192.0.2.1",
            "http://localhost:80",
            "https://127.0.0.1",
            "https://example.com",
            "http://127.0.0.1.example.com",
            "http://127.0.0.1@example.com",
            "",
        ] {
            let refused = with_origin(elsewhere);
            assert_eq!(refused, Err(LookupSettingsError::TestOrigin), "{elsewhere}");
        }
    }

    #[test]
    fn refused_settings_repeat_no_value() {
        for json in [
            "",
            "{}",
            r#"{"twilio":{"apiKey":"hunter2"}}"#,
            r#"{"twilio":{"apiKey":"a","secret":"hunter2","hunter2":1}}"#,
            r#"{"twilio":{"apiKey":"a","secret":"hunter2"},"maxPerDay":-1}"#,
            r#"{"twilio":{"apiKey":"a","secret":"hunter2 "}}"#,
            r#"{"twilio":{"apiKey":"a:hunter2","secret":"b"}}"#,
        ] {
            let refused = LookupSettings::parse(json.as_bytes()).unwrap_err();
            assert!(!refused.to_string().contains("hunter2"), "{json}");
        }
    }
}
