//! Types for the values of the variables. Each type parses its own text.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::{MAX_RETENTION, VALIDITIES};
use countersign_domain::delivery::signing::PublicKey;
use serde_with::DeserializeFromStr;
use thiserror::Error;
use url::Url;

use crate::store::DueShards;

/// The value of a variable is malformed. Contains a description of the expected value, and never
/// the text: that might be a secret in the wrong variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not {0}")]
pub struct Malformed(&'static str);

/// Defines a type that stores a variable's text if `$is_valid` accepts it.
macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $expected:literal, $is_valid:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, DeserializeFromStr)]
        pub struct $name(String);

        impl $name {
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0
            }
        }

        impl FromStr for $name {
            type Err = Malformed;

            fn from_str(text: &str) -> Result<Self, Malformed> {
                let is_valid: fn(&str) -> bool = $is_valid;
                is_valid(text).then(|| Self(text.to_owned())).ok_or(Malformed($expected))
            }
        }
    };
}

checked_text! {
    /// Any non-empty text, such as a region or an access key id.
    Text, "a text", |text| !text.is_empty()
}

checked_text! {
    /// The name of a DynamoDB table: 3 to 255 letters, digits, `_`, `-` and `.`.
    TableName, "the name of a table", |text| {
        let is_plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.');
        (3..=255).contains(&text.len()) && text.bytes().all(is_plain)
    }
}

checked_text! {
    /// The name of a deployment or a function: 1 to 255 visible ASCII characters, as required for
    /// the value of a metric's dimension.
    Name, "a name", |text| {
        (1..=255).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic())
    }
}

checked_text! {
    /// The URL of an SQS queue.
    QueueUrl, "the URL of a queue", |text| {
        parse_url(text, &["http", "https"]).is_some_and(|url| url.path().len() > 1)
    }
}

checked_text! {
    /// The address at which SMS providers call the API, without a trailing slash.
    PublicUrl, "an https URL without a final slash", |text| {
        text.parse::<countersign_inbound::PublicUrl>().is_ok()
    }
}

checked_text! {
    /// The URL at which browsers open a WebSocket.
    SocketUrl, "a wss or ws URL", |text| parse_url(text, &["ws", "wss"]).is_some()
}

checked_text! {
    /// The ARN of a KMS key: `arn:PARTITION:kms:REGION:ACCOUNT:key/ID`. Aliases are refused, since
    /// they may point to a different key tomorrow.
    KeyArn, "the ARN of a KMS key", |text| {
        resource_of(text, "kms")
            .and_then(|resource| resource.strip_prefix("key/"))
            .is_some_and(|id| !id.is_empty())
    }
}

checked_text! {
    /// The ARN of an SNS topic: `arn:PARTITION:sns:REGION:ACCOUNT:NAME`. The ARN of a subscription
    /// has one more part.
    TopicArn, "the ARN of an SNS topic", |text| {
        resource_of(text, "sns").is_some_and(|name| !name.is_empty() && !name.contains(':'))
    }
}

/// ARNs of KMS keys, separated by commas.
#[derive(Clone, Debug, Default, PartialEq, Eq, DeserializeFromStr)]
pub struct KeyArns(pub Vec<KeyArn>);

impl FromStr for KeyArns {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let keys: Result<_, _> = text.split(',').map(|arn| arn.trim().parse()).collect();
        keys.map(Self)
            .map_err(|_| Malformed("a list of KMS keys' ARNs, separated by commas"))
    }
}

/// A private key encrypted by KMS, in Base64.
#[derive(Clone, PartialEq, Eq, DeserializeFromStr)]
pub struct WrappedKey(Vec<u8>);

impl WrappedKey {
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for WrappedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WrappedKey(…)")
    }
}

impl FromStr for WrappedKey {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let bytes = BASE64_STANDARD.decode(text.trim());
        bytes.map(Self).map_err(|_| Malformed("a key in Base64"))
    }
}

/// P-256 public keys in Base64 of their DER, separated by commas.
#[derive(Clone, Debug, Default, PartialEq, Eq, DeserializeFromStr)]
pub struct PublicKeys(pub Vec<PublicKey>);

impl FromStr for PublicKeys {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let key =
            |text: &str| PublicKey::from_spki_der(&BASE64_STANDARD.decode(text.trim()).ok()?).ok();
        let keys: Option<_> = text.split(',').map(key).collect();
        keys.map(Self).ok_or(Malformed(
            "a list of P-256 public keys in Base64, separated by commas",
        ))
    }
}

impl FromStr for DueShards {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let shards = text.parse().ok().and_then(Self::new);
        shards.ok_or(Malformed("8, 16, 32 or 64"))
    }
}

/// Marks that webhooks are signed with a key in the dispatcher itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeserializeFromStr)]
pub struct Locally;

impl FromStr for Locally {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        (text == "local")
            .then_some(Self)
            .ok_or(Malformed("`local`"))
    }
}

/// The name or ARN of a secret in Secrets Manager, written `secretsmanager:NAME`.
#[derive(Clone, Debug, PartialEq, Eq, DeserializeFromStr)]
pub struct SecretName(String);

impl SecretName {
    /// Returns the name, without the service.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SecretName {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        let name = text.strip_prefix("secretsmanager:");
        name.filter(|name| !name.is_empty())
            .map(|name| Self(name.to_owned()))
            .ok_or(Malformed("secretsmanager: and a secret's name or ARN"))
    }
}

/// Service that looks up carriers: `aws` for AWS End User Messaging, or the secret with Twilio's
/// credentials.
#[derive(Clone, Debug, PartialEq, Eq, DeserializeFromStr)]
pub enum CarrierLookupSource {
    /// AWS End User Messaging, with the function's own IAM permissions.
    EndUserMessaging,
    /// Twilio Lookup, with the settings in this secret.
    Twilio(SecretName),
}

impl FromStr for CarrierLookupSource {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        if text == "aws" {
            return Ok(Self::EndUserMessaging);
        }
        let secret = text.parse::<SecretName>();
        secret.map(Self::Twilio).map_err(|_| {
            Malformed(
                "aws, or secretsmanager: and the name of the secret with Twilio's credentials",
            )
        })
    }
}

/// A number from 0 to 4,294,967,295.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeserializeFromStr)]
pub struct Count(pub u32);

impl FromStr for Count {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        text.parse()
            .map(Self)
            .map_err(|_| Malformed("a whole number"))
    }
}

/// An http or https URL that replaces the default endpoint of AWS services, such as an emulator's,
/// or an endpoint inside a VPC.
#[derive(Clone, Debug, PartialEq, Eq, DeserializeFromStr)]
pub struct Endpoint(Url);

impl Endpoint {
    /// Returns the URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns whether the endpoint is on this machine, as in local mode.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        match self.0.host() {
            Some(url::Host::Domain(name)) => name == "localhost",
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }
}

impl FromStr for Endpoint {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        parse_url(text, &["http", "https"])
            .map(Self)
            .ok_or(Malformed("an http or https URL"))
    }
}

/// The time for which a confirmation stays open, from a millisecond to a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeserializeFromStr)]
pub struct Validity(pub Duration);

impl FromStr for Validity {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        parse_time(text, &VALIDITIES)
            .map(Self)
            .ok_or(Malformed("a time from 1ms to 1d, like 5m"))
    }
}

/// The time for which a verified confirmation is kept, at most ten years.
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeserializeFromStr)]
pub struct Retention(pub Duration);

impl FromStr for Retention {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Self, Malformed> {
        parse_time(text, &(Duration::ZERO..=MAX_RETENTION))
            .map(Self)
            .ok_or(Malformed("a time of at most 3650d, like 7d"))
    }
}

/// Parses a duration within bounds: a number and one of the units `ms`, `s`, `m`, `h` and `d`.
fn parse_time(text: &str, bounds: &RangeInclusive<Duration>) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let number: u64 = number.parse().ok()?;
    let millis = match unit {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 3600 * 1000,
        "d" => 24 * 3600 * 1000,
        _ => return None,
    };
    let time = Duration::from_millis(number.checked_mul(millis)?);
    bounds.contains(&time).then_some(time)
}

/// Parses a URL that has a host and one of the schemes.
fn parse_url(text: &str, schemes: &[&str]) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    (schemes.contains(&url.scheme()) && url.host().is_some()).then_some(url)
}

/// Returns the last part of an ARN of the service.
fn resource_of<'a>(arn: &'a str, service: &str) -> Option<&'a str> {
    let mut parts = arn.splitn(6, ':');
    let is_of_service = parts.next()? == "arn"
        && !parts.next()?.is_empty()
        && parts.next()? == service
        && !parts.next()?.is_empty()
        && parts.next()?.len() == 12;
    parts.next().filter(|_| is_of_service)
}
