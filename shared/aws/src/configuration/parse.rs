//! The values of variables.

use std::ops::RangeInclusive;
use std::time::Duration;

use url::Url;

/// The URL of an SQS queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueUrl(String);

impl QueueUrl {
    /// Reads an http or https URL.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_queue = matches!(url.scheme(), "http" | "https")
            && url.host().is_some()
            && url.path().len() > 1;
        is_queue.then(|| Self(text.to_owned()))
    }

    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The ARN of a KMS key: never an alias, since an alias may point elsewhere tomorrow.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KeyArn(String);

impl KeyArn {
    /// Reads `arn:PARTITION:kms:REGION:ACCOUNT:key/ID`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let resource = resource_of(text, "kms")?;
        let id = resource.strip_prefix("key/")?;
        (!id.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The ARN.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The ARN of an SNS topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicArn(String);

impl TopicArn {
    /// Reads `arn:PARTITION:sns:REGION:ACCOUNT:NAME`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let name = resource_of(text, "sns")?;
        // A subscription's ARN has one part more.
        (!name.is_empty() && !name.contains(':')).then(|| Self(text.to_owned()))
    }

    /// The ARN.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Where the inbound secrets are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretSource {
    /// A secret of Secrets Manager, by name or ARN.
    SecretsManager(String),
    /// A parameter of Systems Manager's Parameter Store, by name or ARN.
    Parameter(String),
}

impl SecretSource {
    /// Reads `secretsmanager:NAME` or `ssm:NAME`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, name) = text.split_once(':')?;
        if name.is_empty() {
            return None;
        }
        match kind {
            "secretsmanager" => Some(Self::SecretsManager(name.to_owned())),
            "ssm" => Some(Self::Parameter(name.to_owned())),
            _ => None,
        }
    }
}

/// Where AWS's services are, if not where AWS has them: an emulator, or an endpoint of a VPC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(Url);

impl Endpoint {
    /// Reads an http or https URL.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        (matches!(url.scheme(), "http" | "https") && url.host().is_some()).then_some(Self(url))
    }

    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether it is on this machine: then everything is, as in local mode.
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

/// Where browsers are told that their sessions changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketUrl(String);

impl SocketUrl {
    /// Reads a wss or ws URL.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let is_socket = matches!(url.scheme(), "wss" | "ws") && url.host().is_some();
        is_socket.then(|| Self(text.to_owned()))
    }

    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A table's name: 3 to 255 letters, digits, `_`, `-` and `.` (DynamoDB's naming rules).
pub(super) fn table(text: &str) -> Option<String> {
    let plain = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.');
    ((3..=255).contains(&text.len()) && text.bytes().all(plain)).then(|| text.to_owned())
}

/// A deployment's name: 1 to 255 visible ASCII characters (a metric dimension's value).
pub(super) fn deployment(text: &str) -> Option<String> {
    let fits = (1..=255).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic());
    fits.then(|| text.to_owned())
}

/// A number and a unit of `ms`, `s`, `m`, `h` or `d`, between bounds.
pub(super) fn time(text: &str, bounds: RangeInclusive<Duration>) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
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

/// The last part of the ARN of a service's resource.
fn resource_of<'a>(arn: &'a str, service: &str) -> Option<&'a str> {
    let mut parts = arn.splitn(6, ':');
    let named = parts.next()? == "arn"
        && !parts.next()?.is_empty()
        && parts.next()? == service
        && !parts.next()?.is_empty()
        && parts.next()?.len() == 12;
    parts.next().filter(|_| named)
}
