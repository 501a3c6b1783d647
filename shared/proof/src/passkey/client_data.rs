//! What a browser says about a ceremony.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::Value;

use super::Challenge;
use crate::error::ProofError;
use crate::members::Members;

/// The client data of an assertion (Web Authentication, section 5.8.1) that [`Self::parse`] accepted: made in a page
/// that no other site framed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientData {
    origin: String,
}

impl ClientData {
    /// Parses the client data of an assertion over a challenge. Unknown members are ignored, since browsers
    /// add some.
    ///
    /// # Errors
    /// Fails with the first rule that the data breaks.
    pub(crate) fn parse(json: &[u8], challenge: &Challenge) -> Result<Self, ProofError> {
        let mut members = Members::parse(json).ok_or(ProofError::ClientData)?;
        if members.take_text("type").as_deref() != Some("webauthn.get") {
            return Err(ProofError::ClientData);
        }
        // Compared as text, because each challenge has only one spelling.
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(challenge);
        if members.take_text("challenge") != Some(challenge) {
            return Err(ProofError::Challenge);
        }
        let origin = members.take_text("origin").ok_or(ProofError::ClientData)?;
        let is_own = matches!(members.take("crossOrigin"), None | Some(Value::Bool(false)));
        if !is_own || members.take("topOrigin").is_some() {
            return Err(ProofError::Framed);
        }
        Ok(Self { origin })
    }

    /// Returns the origin of the page that used the passkey.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHALLENGE: Challenge = [7; 32];

    /// Parses client data whose challenge is written as `@`.
    fn parse(json: &str) -> Result<String, ProofError> {
        let json = json.replace('@', &BASE64_URL_SAFE_NO_PAD.encode(CHALLENGE));
        let data = ClientData::parse(json.as_bytes(), &CHALLENGE)?;
        Ok(data.origin().to_owned())
    }

    #[test]
    fn members_of_browsers_are_accepted() {
        for json in [
            r#"{"type":"webauthn.get","challenge":"@","origin":"https://a.example"}"#,
            r#"{"type":"webauthn.get","challenge":"@","origin":"https://a.example","crossOrigin":false}"#,
            r#" { "origin": "https:\/\/a.example", "type": "webauthn.get", "challenge": "@" } "#,
            r#"{"type":"webauthn.get","challenge":"@","origin":"https://a.example","crossOrigin":false,"other_keys_can_be_added_here":"do not compare clientDataJSON against a template. See https://goo.gl/yabPex"}"#,
            r#"{"challenge":"@","clientExtensions":{},"hashAlgorithm":"SHA-256","origin":"https://a.example","type":"webauthn.get","tokenBinding":{"status":"supported"}}"#,
        ] {
            assert_eq!(parse(json).as_deref(), Ok("https://a.example"), "{json}");
        }
    }

    #[test]
    fn other_client_data_is_refused() {
        let twice = BASE64_URL_SAFE_NO_PAD.encode(BASE64_URL_SAFE_NO_PAD.encode(CHALLENGE));
        let with = |rest: &str| {
            format!(
                r#"{{"type":"webauthn.get","challenge":"@","origin":"https://a.example"{rest}}}"#
            )
        };
        for (json, rule) in [
            (String::new(), ProofError::ClientData),
            ("null".to_owned(), ProofError::ClientData),
            (
                with("").replace("webauthn.get", "webauthn.create"),
                ProofError::ClientData,
            ),
            (
                with("").replace(r#""webauthn.get""#, "null"),
                ProofError::ClientData,
            ),
            (with(r#","type":"webauthn.get""#), ProofError::ClientData),
            (
                with(r#","\u006frigin":"https://b.example""#),
                ProofError::ClientData,
            ),
            (with(r#","a":1,"a":1"#), ProofError::ClientData),
            (
                with("").replace(r#""https://a.example""#, "7"),
                ProofError::ClientData,
            ),
            (format!("\u{feff}{}", with("")), ProofError::ClientData),
            (with("").replace('@', "@="), ProofError::Challenge),
            (with("").replace('@', "BwcH"), ProofError::Challenge),
            (with("").replace('@', &twice), ProofError::Challenge),
            (with("").replace("\"@\"", "null"), ProofError::Challenge),
            (with(r#","crossOrigin":true"#), ProofError::Framed),
            (with(r#","crossOrigin":null"#), ProofError::Framed),
            (with(r#","crossOrigin":"false""#), ProofError::Framed),
            (with(r#","crossOrigin":0"#), ProofError::Framed),
            (
                with(r#","topOrigin":"https://a.example""#),
                ProofError::Framed,
            ),
            (
                with(r#","crossOrigin":false,"topOrigin":null"#),
                ProofError::Framed,
            ),
        ] {
            assert_eq!(parse(&json), Err(rule), "{json}");
        }
        let not_utf8 = b"{\"type\":\"webauthn.get\",\"a\":\"\xff\"}";
        let parsed = ClientData::parse(not_utf8, &CHALLENGE);
        assert_eq!(parsed, Err(ProofError::ClientData));
    }
}
