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
//! Each list of secrets holds one or two; a single one may be a string. `vonage-messages` may have such a
//! list for each API key: `{"keys": {"a1b2c3d4": ["secret-0000"]}}`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

use countersign_domain::primitives::phone::{Country, PhoneNumber};
use http::HeaderName;
use serde::Deserialize;
use thiserror::Error;
use zeroize::ZeroizeOnDrop;

use crate::bandwidth::{self, Bandwidth};
use crate::generic::{self, Generic};
use crate::infobip::{self, Infobip, InfobipProof};
use crate::mac::HashAlgorithm;
use crate::plivo::{self, Plivo, PlivoVersion};
use crate::provider::Providers;
use crate::public_url::PublicUrl;
use crate::secret::{HexSecret, Rotating};
use crate::sinch::{self, Sinch};
use crate::sinch_conversation::{self, SinchConversation};
use crate::sms_gate::{self, SmsGate};
use crate::sns::{self, CertificateSource, SignatureVersion, Sns};
use crate::telnyx::{self, Telnyx};
use crate::twilio::{self, Twilio, TwilioKey};
use crate::vonage_messages::{self, VonageMessages};
use crate::vonage_sms::{self, VonageSms};
use crate::whatsapp::{self, WhatsApp};

/// The settings of all providers that are on. Its values are not parsed yet.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    #[serde(rename = "publicUrl")]
    public_url: Option<String>,
    generic: Option<Secrets>,
    twilio: Option<TwilioSettings>,
    vonage_sms: Option<VonageSmsSettings>,
    vonage_messages: Option<VonageMessagesSettings>,
    telnyx: Option<TelnyxSettings>,
    plivo: Option<PlivoSettings>,
    sinch: Option<Secrets>,
    sinch_conversation: Option<Secrets>,
    sms_gate: Option<SmsGateSettings>,
    infobip: Option<InfobipSettings>,
    bandwidth: Option<BandwidthSettings>,
    sns: Option<SnsSettings>,
    whatsapp: Option<WhatsAppSettings>,
}

/// A secret as it is written.
#[derive(Deserialize, ZeroizeOnDrop)]
struct Secret(String);

/// One or two secrets.
#[derive(Deserialize)]
#[serde(untagged)]
enum List {
    One(Secret),
    Several(Vec<Secret>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Secrets {
    secrets: List,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TwilioSettings {
    auth_tokens: Option<List>,
    shared_keys: Option<List>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VonageSmsSettings {
    secrets: List,
    algorithm: HashAlgorithm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VonageMessagesSettings {
    secrets: Option<List>,
    /// Secrets by API key.
    keys: Option<BTreeMap<String, List>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TelnyxSettings {
    public_keys: List,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PlivoSettings {
    auth_tokens: List,
    signature: PlivoVersion,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SmsGateSettings {
    secrets: List,
    /// The phone's own number.
    number: String,
    /// Country of its SIM.
    country: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InfobipSettings {
    credentials: Option<List>,
    secrets: Option<List>,
    algorithm: Option<HashAlgorithm>,
    header: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BandwidthSettings {
    credentials: List,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SnsSettings {
    topic: String,
    signature_version: SignatureVersion,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct WhatsAppSettings {
    app_secrets: List,
    verify_token: Secret,
}

/// Why settings are refused. No message holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// The text is not JSON of the documented form.
    #[error("the settings are not valid at line {line}, column {column}")]
    Shape {
        /// Line, from 1.
        line: usize,
        /// Column, from 0.
        column: usize,
    },
    /// A provider's setting has no valid value.
    #[error("{provider}: {reason}")]
    Value {
        /// The provider's name in the route, or `publicUrl`.
        provider: &'static str,
        /// Fault of the value.
        reason: String,
    },
}

impl Settings {
    /// Parses settings.
    ///
    /// # Errors
    ///
    /// Fails if the text is not JSON of the documented form. The message names only the place,
    /// because serde's would repeat values.
    pub fn parse(json: &[u8]) -> Result<Self, SettingsError> {
        serde_json::from_slice(json).map_err(|error| SettingsError::Shape {
            line: error.line(),
            column: error.column(),
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
    /// Fails if a value is not valid, or something that a provider needs is missing.
    pub fn providers(
        self,
        certificates: Option<Arc<dyn CertificateSource>>,
    ) -> Result<Providers, SettingsError> {
        let mut all = Providers::default();
        let url = match &self.public_url {
            Some(url) => Some(value::<PublicUrl>("publicUrl", url)?),
            None => None,
        };
        let url = |provider| {
            let url = url.as_ref();
            url.ok_or_else(|| wrong(provider, "needs the setting publicUrl"))
        };
        if let Some(generic) = self.generic {
            all = all.with(Generic::new(generic.secrets.parse(generic::NAME)?));
        }
        if let Some(twilio) = self.twilio {
            all = all.with(Twilio::new(url(twilio::NAME)?, twilio.keys()?));
        }
        if let Some(vonage) = self.vonage_sms {
            let secrets = vonage.secrets.parse(vonage_sms::NAME)?;
            all = all.with(VonageSms::new(secrets, vonage.algorithm));
        }
        if let Some(vonage) = self.vonage_messages {
            all = all.with(vonage.provider()?);
        }
        if let Some(telnyx) = self.telnyx {
            all = all.with(Telnyx::new(telnyx.public_keys.parse(telnyx::NAME)?));
        }
        if let Some(plivo) = self.plivo {
            let tokens = plivo.auth_tokens.parse(plivo::NAME)?;
            all = all.with(Plivo::new(url(plivo::NAME)?, tokens, plivo.signature));
        }
        if let Some(sinch) = self.sinch {
            all = all.with(Sinch::new(sinch.secrets.parse(sinch::NAME)?));
        }
        if let Some(sinch) = self.sinch_conversation {
            let secrets: Rotating<_> = sinch.secrets.parse(sinch_conversation::NAME)?;
            all = all.with(SinchConversation::new(secrets));
        }
        if let Some(settings) = self.sms_gate {
            all = all.with(settings.provider()?);
        }
        if let Some(infobip) = self.infobip {
            all = all.with(Infobip::new(infobip.proof()?));
        }
        if let Some(bandwidth) = self.bandwidth {
            let credentials = bandwidth.credentials.parse(bandwidth::NAME)?;
            all = all.with(Bandwidth::new(credentials));
        }
        if let Some(settings) = self.sns {
            let topic = value(sns::NAME, &settings.topic)?;
            let source = certificates
                .ok_or_else(|| wrong(sns::NAME, "certificates cannot be fetched here"))?;
            all = all.with(Sns::new(topic, settings.signature_version, source));
        }
        if let Some(settings) = self.whatsapp {
            let secrets = settings
                .app_secrets
                .each(whatsapp::NAME, |HexSecret(secret)| secret)?;
            let secrets = rotating(whatsapp::NAME, secrets)?;
            let token = value(whatsapp::NAME, &settings.verify_token.0)?;
            all = all.with(WhatsApp::new(secrets, token));
        }
        Ok(all)
    }
}

impl TwilioSettings {
    fn keys(self) -> Result<Rotating<TwilioKey>, SettingsError> {
        let mut keys = Vec::new();
        if let Some(shared) = self.shared_keys {
            keys.extend(shared.each(twilio::NAME, TwilioKey::SharedKey)?);
        }
        if let Some(tokens) = self.auth_tokens {
            let token = |HexSecret(token)| TwilioKey::AuthToken(token);
            keys.extend(tokens.each(twilio::NAME, token)?);
        }
        rotating(twilio::NAME, keys)
    }
}

impl VonageMessagesSettings {
    fn provider(self) -> Result<VonageMessages, SettingsError> {
        let name = vonage_messages::NAME;
        let secrets = self.secrets.map(|list| list.parse(name)).transpose()?;
        let mut provider = secrets.map(|secrets: Rotating<_>| VonageMessages::new(secrets));
        for (key, list) in self.keys.unwrap_or_default() {
            let secrets: Rotating<_> = list.parse(name)?;
            let added = match provider {
                Some(provider) => provider.and(&key, secrets),
                None => VonageMessages::named(&key, secrets),
            };
            provider = Some(added.map_err(|error| wrong(name, error))?);
        }
        provider.ok_or_else(|| wrong(name, "needs secrets, or keys with their secrets"))
    }
}

impl SmsGateSettings {
    fn provider(self) -> Result<SmsGate, SettingsError> {
        let name = sms_gate::NAME;
        let secrets: Rotating<_> = self.secrets.parse(name)?;
        let number = PhoneNumber::parse_international(&self.number);
        let number = number.map_err(|error| wrong(name, format!("number: {error}")))?;
        let country: Country = value(name, &self.country)?;
        if !country.is_numbered() {
            return Err(wrong(
                name,
                format!("there are no phone numbers of {country}"),
            ));
        }
        if !number.fits(country) {
            let reason =
                format!("number: a SIM of {country} has no such number; check country, too");
            return Err(wrong(name, reason));
        }
        Ok(SmsGate::new(secrets, number, country))
    }
}

impl InfobipSettings {
    fn proof(self) -> Result<InfobipProof, SettingsError> {
        match (self.credentials, self.secrets, self.algorithm, self.header) {
            (Some(credentials), None, None, None) => {
                Ok(InfobipProof::Basic(credentials.parse(infobip::NAME)?))
            }
            (None, Some(secrets), Some(algorithm), Some(header)) => Ok(InfobipProof::Hmac {
                secrets: secrets.parse(infobip::NAME)?,
                algorithm,
                header: value::<HeaderName>(infobip::NAME, &header)?,
            }),
            _ => Err(wrong(
                infobip::NAME,
                "needs either credentials, or secrets with algorithm and header",
            )),
        }
    }
}

impl List {
    fn parse<T: FromStr<Err: Display>>(
        self,
        provider: &'static str,
    ) -> Result<Rotating<T>, SettingsError> {
        rotating(provider, self.each(provider, |parsed| parsed)?)
    }

    fn each<T: FromStr<Err: Display>, U>(
        self,
        provider: &'static str,
        map: impl Fn(T) -> U,
    ) -> Result<Vec<U>, SettingsError> {
        let list = match self {
            Self::One(one) => vec![one],
            Self::Several(several) => several,
        };
        let parsed = list.iter().map(|text| value(provider, &text.0).map(&map));
        parsed.collect()
    }
}

fn rotating<T>(provider: &'static str, list: Vec<T>) -> Result<Rotating<T>, SettingsError> {
    let mut list = list.into_iter();
    match (list.next(), list.next(), list.next()) {
        (Some(first), Some(second), None) => Ok(Rotating::pair(first, second)),
        (Some(only), None, _) => Ok(only.into()),
        _ => Err(wrong(
            provider,
            "needs one secret, or two during a rotation",
        )),
    }
}

fn value<T: FromStr<Err: Display>>(provider: &'static str, text: &str) -> Result<T, SettingsError> {
    text.parse().map_err(|error: T::Err| wrong(provider, error))
}

fn wrong(provider: &'static str, reason: impl Display) -> SettingsError {
    SettingsError::Value {
        provider,
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests;
