//! The providers' settings as JSON.
//!
//! ```json
//! {
//!     "publicUrl": "https://text.example.com",
//!     "twilio": {"authTokens": ["0123456789abcdef0123456789abcdef"]},
//!     "vonage-sms": {"secrets": ["new-secret-0000", "old-secret-0000"], "algorithm": "sha256"}
//! }
//! ```
//!
//! Each provider's module declares the format of its member. A list of secrets has one or two; a single one may be a
//! string.

use std::fmt;
use std::sync::Arc;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::certificate_source::CertificateSource;
use crate::provider::Providers;
use crate::public_url::PublicUrl;
use crate::registry::SPECS;
use crate::spec::{Create, Surroundings, Wrong};

/// The settings of all enabled providers. Its values are not parsed yet.
#[derive(Default)]
pub struct Settings {
    public_url: Option<String>,
    members: Vec<Member>,
}

/// The settings of one provider.
struct Member {
    provider: &'static str,
    create: Create,
    text: Zeroizing<String>,
    /// The line in the whole text at which the member begins.
    line: usize,
    column: usize,
}

/// Why settings are refused. No message contains a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// The text is not JSON in the documented format.
    #[error("the settings are not valid at line {line}, column {column}")]
    Shape {
        /// Line, starting at 1.
        line: usize,
        /// Column, starting at 0.
        column: usize,
    },
    /// A provider's setting has an invalid value.
    #[error("{provider}: {reason}")]
    Value {
        /// The provider's name in the route, or `publicUrl`.
        provider: &'static str,
        /// The error in the value.
        reason: String,
    },
}

impl Settings {
    /// Parses settings.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a JSON object, or contains an unknown provider. The message states only
    /// the position, because serde's would repeat values.
    pub fn parse(json: &[u8]) -> Result<Self, SettingsError> {
        let document: Document<'_> = serde_json::from_slice(json).map_err(|error| shape(&error))?;
        let members = document.members.into_iter();
        Ok(Self {
            public_url: document.public_url,
            members: members
                .map(|(provider, create, text)| {
                    let (line, column) = place(json, text.get());
                    Member {
                        provider,
                        create,
                        text: Zeroizing::new(text.get().to_owned()),
                        line,
                        column,
                    }
                })
                .collect(),
        })
    }

    /// Sets the public address unless the settings have one.
    #[must_use]
    pub fn or_public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url.get_or_insert_with(|| url.into());
        self
    }

    /// Creates the providers. `certificates` is needed only for SNS.
    ///
    /// # Errors
    ///
    /// Fails if a provider's settings do not have their documented format, a value is invalid, or a required
    /// setting is missing.
    pub fn providers(
        self,
        certificates: Option<Arc<dyn CertificateSource>>,
    ) -> Result<Providers, SettingsError> {
        let public_url = self.public_url.map(|url| url.parse::<PublicUrl>());
        let public_url = public_url
            .transpose()
            .map_err(|error| SettingsError::Value {
                provider: PUBLIC_URL,
                reason: error.to_string(),
            })?;
        let surroundings = Surroundings {
            public_url: public_url.as_ref(),
            certificates,
        };
        let mut all = Providers::default();
        for member in self.members {
            let provider = (member.create)(&member.text, &surroundings);
            all = all.with(provider.map_err(|wrong| member.refused(wrong))?);
        }
        Ok(all)
    }
}

impl Member {
    fn refused(&self, wrong: Wrong) -> SettingsError {
        match wrong {
            Wrong::Value(reason) => SettingsError::Value {
                provider: self.provider,
                reason,
            },
            Wrong::Shape(error) if error.line() == 1 => SettingsError::Shape {
                line: self.line,
                column: self.column + error.column(),
            },
            Wrong::Shape(error) => SettingsError::Shape {
                line: self.line + error.line() - 1,
                column: error.column(),
            },
        }
    }
}

const PUBLIC_URL: &str = "publicUrl";

/// The unparsed settings, with the providers in their original order.
struct Document<'a> {
    public_url: Option<String>,
    members: Vec<(&'static str, Create, &'a RawValue)>,
}

impl<'de> Deserialize<'de> for Document<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Document<'de>, A::Error> {
        let mut public_url = None;
        let mut members: Vec<(&str, _, _)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            let twice = A::Error::duplicate_field("");
            if name == PUBLIC_URL {
                if public_url.replace(map.next_value()?).is_some() {
                    return Err(twice);
                }
                continue;
            }
            let spec = SPECS.iter().find(|spec| spec.name == name);
            let Some((name, create)) = spec.and_then(|spec| Some((spec.name, spec.create?))) else {
                return Err(A::Error::custom("unknown provider"));
            };
            if members.iter().any(|(known, ..)| *known == name) {
                return Err(twice);
            }
            if let Some(text) = map.next_value::<Option<&RawValue>>()? {
                members.push((name, create, text));
            }
        }
        Ok(Document {
            public_url: public_url.flatten(),
            members,
        })
    }
}

/// Returns the line, starting at 1, and the column, starting at 0, at which a part of the text
/// begins.
fn place(text: &[u8], part: &str) -> (usize, usize) {
    let offset = part.as_ptr().addr() - text.as_ptr().addr();
    let lines: Vec<_> = text[..offset].split(|byte| *byte == b'\n').collect();
    (lines.len(), lines.last().map_or(0, |line| line.len()))
}

fn shape(error: &serde_json::Error) -> SettingsError {
    SettingsError::Shape {
        line: error.line(),
        column: error.column(),
    }
}

#[cfg(test)]
mod tests;
