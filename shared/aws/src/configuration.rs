//! The environment variables of a function, each parsed once, at its start.
//!
//! Whatever is missing or malformed is named in one message, so that a wrong deployment is mended
//! in one go.

mod parse;
#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use countersign_domain::confirmation::{MAX_RETENTION, VALIDITIES};
use countersign_domain::use_cases::Times;
use thiserror::Error;

pub use parse::{Endpoint, KeyArn, QueueUrl, SecretSource, SocketUrl, TopicArn};

/// The table.
pub const TABLE: &str = "COUNTERSIGN_TABLE";
/// The deployment's name: the dimension of its metrics.
pub const DEPLOYMENT: &str = "COUNTERSIGN_DEPLOYMENT";
/// The function's name, which begins with the deployment's: the dimension of its own metrics.
pub const FUNCTION: &str = "AWS_LAMBDA_FUNCTION_NAME";
/// How long a session is open (`5m`).
pub const VALIDITY: &str = "COUNTERSIGN_VALIDITY";
/// How long a verified confirmation is kept past the retry horizon (`7d`).
pub const RETENTION: &str = "COUNTERSIGN_RETENTION";
/// The queue of first attempts.
pub const FIRST_ATTEMPTS: &str = "COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL";
/// The queue of all other attempts.
pub const RETRIES: &str = "COUNTERSIGN_RETRIES_QUEUE_URL";
/// The key that signs.
pub const SIGNING_KEY: &str = "COUNTERSIGN_SIGNING_KEY_ARN";
/// Keys that are published besides: former ones, and the next one.
pub const PUBLISHED_KEYS: &str = "COUNTERSIGN_PUBLISHED_KEY_ARNS";
/// The topic that texts arrive by.
pub const TOPIC: &str = "COUNTERSIGN_INBOUND_TOPIC_ARN";
/// Where the inbound secrets are kept.
pub const INBOUND_SECRETS: &str = "COUNTERSIGN_INBOUND_SECRETS";
/// Where browsers are told that their sessions changed (`wss://…`).
pub const SOCKET_URL: &str = "COUNTERSIGN_SOCKET_URL";
/// Where that WebSocket API's connections are managed (`https://…/STAGE`).
pub const SOCKET_ENDPOINT: &str = "COUNTERSIGN_SOCKET_ENDPOINT";
/// Where the origin secret is kept, by which requests are known to have come through CloudFront.
pub const ORIGIN_SECRET: &str = "COUNTERSIGN_ORIGIN_SECRET";

/// What a secret's place must look like.
const A_SOURCE: &str = "secretsmanager: and a secret's name or ARN, or ssm: and a parameter's name";

/// What is wrong with the environment: every variable, each with what it should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ConfigurationError(Vec<Fault>);

impl fmt::Display for ConfigurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the environment is not as it must be: ")?;
        for (at, fault) in self.0.iter().enumerate() {
            let gap = if at == 0 { "" } else { "; " };
            write!(f, "{gap}{fault}")?;
        }
        Ok(())
    }
}

/// One variable that is wrong. Its value is not repeated: it might be a secret in the wrong place.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
enum Fault {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{name} is not {wanted}")]
    Malformed {
        name: &'static str,
        wanted: &'static str,
    },
}

/// Reads variables and remembers what was wrong.
///
/// Each reading answers a value even where the variable is wrong, as `None`, so that the others are
/// read too; [`Configuration::finish`] tells whether all was well.
pub struct Configuration<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    faults: Vec<Fault>,
}

impl<'a> Configuration<'a> {
    /// Reads from this source of variables.
    #[must_use]
    pub fn new(variable: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            variable,
            faults: Vec::new(),
        }
    }

    /// A variable that must be there.
    pub fn required<T>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let Some(text) = self.text(name) else {
            self.faults.push(Fault::Missing(name));
            return None;
        };
        self.parsed(name, wanted, &text, parse)
    }

    /// A variable that may be left out or empty.
    pub fn optional<T>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(name)?;
        self.parsed(name, wanted, &text, parse)
    }

    /// What was read, if nothing was wrong.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, ConfigurationError> {
        match read {
            Some(read) if self.faults.is_empty() => Ok(read),
            _ => Err(ConfigurationError(self.faults)),
        }
    }

    /// [`TABLE`].
    pub fn table(&mut self) -> Option<String> {
        self.required(TABLE, "a table's name", parse::table)
    }

    /// [`DEPLOYMENT`].
    pub fn deployment(&mut self) -> Option<String> {
        self.required(DEPLOYMENT, "a deployment's name", parse::deployment)
    }

    /// [`FUNCTION`], which Lambda sets.
    pub fn function(&mut self) -> Option<String> {
        self.required(FUNCTION, "a function's name", parse::deployment)
    }

    /// [`VALIDITY`] and [`RETENTION`], which have defaults.
    pub fn times(&mut self) -> Option<Times> {
        let default = Times::default();
        let faults = self.faults.len();
        let validity = self.optional(VALIDITY, "a time from 1ms to 1d, such as 5m", |text| {
            parse::time(text, VALIDITIES)
        });
        let retention = self.optional(RETENTION, "a time of at most 3650d, such as 7d", |text| {
            parse::time(text, Duration::ZERO..=MAX_RETENTION)
        });
        (self.faults.len() == faults).then_some(Times {
            validity: validity.unwrap_or(default.validity),
            retention: retention.unwrap_or(default.retention),
        })
    }

    /// [`FIRST_ATTEMPTS`].
    pub fn first_attempts(&mut self) -> Option<QueueUrl> {
        self.required(FIRST_ATTEMPTS, "a queue's URL", QueueUrl::parse)
    }

    /// [`RETRIES`].
    pub fn retries(&mut self) -> Option<QueueUrl> {
        self.required(RETRIES, "a queue's URL", QueueUrl::parse)
    }

    /// [`SIGNING_KEY`].
    pub fn signing_key(&mut self) -> Option<KeyArn> {
        self.required(SIGNING_KEY, "a KMS key's ARN", KeyArn::parse)
    }

    /// [`PUBLISHED_KEYS`]: none where it is left out.
    pub fn published_keys(&mut self) -> Option<Vec<KeyArn>> {
        let faults = self.faults.len();
        let keys = self.optional(
            PUBLISHED_KEYS,
            "a list of KMS keys' ARNs with commas between",
            |text| {
                text.split(',')
                    .map(|arn| KeyArn::parse(arn.trim()))
                    .collect()
            },
        );
        (self.faults.len() == faults).then(|| keys.unwrap_or_default())
    }

    /// [`TOPIC`].
    pub fn topic(&mut self) -> Option<TopicArn> {
        self.required(TOPIC, "an SNS topic's ARN", TopicArn::parse)
    }

    /// [`INBOUND_SECRETS`].
    pub fn inbound_secrets(&mut self) -> Option<SecretSource> {
        self.required(INBOUND_SECRETS, A_SOURCE, SecretSource::parse)
    }

    /// [`SOCKET_URL`].
    pub fn socket_url(&mut self) -> Option<SocketUrl> {
        self.required(SOCKET_URL, "a wss or ws URL", SocketUrl::parse)
    }

    /// [`SOCKET_ENDPOINT`].
    pub fn socket_endpoint(&mut self) -> Option<Endpoint> {
        self.required(SOCKET_ENDPOINT, "an https or http URL", Endpoint::parse)
    }

    /// [`ORIGIN_SECRET`]: none where it is left out. Where it is wrong, [`Configuration::finish`]
    /// says so.
    pub fn origin_secret(&mut self) -> Option<SecretSource> {
        self.optional(ORIGIN_SECRET, A_SOURCE, SecretSource::parse)
    }

    fn text(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|text| !text.is_empty())
    }

    fn parsed<T>(
        &mut self,
        name: &'static str,
        wanted: &'static str,
        text: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let parsed = parse(text);
        if parsed.is_none() {
            self.faults.push(Fault::Malformed { name, wanted });
        }
        parsed
    }
}
