//! The plaintext of a sealed payload.

use std::fmt;

use countersign_domain::login::Salt;
use serde::{Deserialize, Serialize};

/// A payload with the salt of its proof. `Debug` hides both.
#[derive(Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The data for the page.
    pub payload: String,
    /// The salt with which a proof hashes the payload. The salt is chosen at random for each login,
    /// whether or not there is a proof.
    pub salt: Salt,
}

impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Envelope(…)")
    }
}

/// The JSON of an envelope, which has exactly these members.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    payload: String,
    salt: String,
}

impl Envelope {
    /// Returns the JSON, in UTF-8; `None` only if a text could not be written as JSON.
    pub(crate) fn to_json(&self) -> Option<Vec<u8>> {
        let json = Json {
            payload: self.payload.clone(),
            salt: self.salt.to_string(),
        };
        serde_json::to_vec(&json).ok()
    }

    /// Parses the JSON of an envelope; returns `None` if it is malformed.
    pub(crate) fn from_json(json: &[u8]) -> Option<Self> {
        let json: Json = serde_json::from_slice(json).ok()?;
        Some(Self {
            salt: json.salt.parse::<Salt>().ok()?,
            payload: json.payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelope_is_written_as_specified() {
        let envelope = Envelope {
            payload: "a \"token\"".to_owned(),
            salt: Salt::from_bytes([0; 16]),
        };
        let json = envelope.to_json().unwrap();
        let expected = r#"{"payload":"a \"token\"","salt":"AAAAAAAAAAAAAAAAAAAAAA"}"#;
        assert_eq!(String::from_utf8(json.clone()).unwrap(), expected);
        assert_eq!(Envelope::from_json(&json), Some(envelope));
    }

    #[test]
    fn other_json_is_refused() {
        let salt = "AAAAAAAAAAAAAAAAAAAAAA";
        for json in [
            "",
            "a token",
            "{}",
            r#"{"payload":"a"}"#,
            &format!(r#"{{"salt":"{salt}"}}"#),
            &format!(r#"{{"payload":1,"salt":"{salt}"}}"#),
            r#"{"payload":"a","salt":"AAAA"}"#,
            &format!(r#"{{"payload":"a","salt":"{salt}","more":1}}"#),
            &format!(r#"{{"payload":"a","payload":"b","salt":"{salt}"}}"#),
            &format!(r#"{{"payload":"a","salt":"{salt}"}} x"#),
        ] {
            assert_eq!(Envelope::from_json(json.as_bytes()), None, "{json}");
        }
        assert_eq!(Envelope::from_json(b"{\"payload\":\"\xff\"}"), None);
    }
}
