//! The environment variables of a function, parsed once at its start.
//!
//! One error names every variable that is missing or malformed, so that a wrong deployment can be
//! corrected in one go.

pub mod settings;
#[cfg(test)]
mod tests;
mod values;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use countersign_domain::confirmation::{MAX_RETENTION, VALIDITIES};
use countersign_domain::use_cases::Times;
use thiserror::Error;

pub use values::{
    CarrierLookupSource, Count, Endpoint, KeyArn, KeyArns, Locally, Malformed, Name, PublicKeys,
    PublicUrl, QueueUrl, SecretName, SocketUrl, Table, TableName, Text, TopicArn, WrappedKey,
};

/// Variable: the table's name.
pub const TABLE: &str = "COUNTERSIGN_TABLE";
/// Variable: over how many partitions due webhooks are spread; 8 if it is left out.
pub const DUE_SHARDS: &str = "COUNTERSIGN_DUE_SHARDS";
/// Variable: the deployment's name, which is the dimension of its metrics.
pub const DEPLOYMENT: &str = "COUNTERSIGN_DEPLOYMENT";
/// Variable, set by Lambda: the function's name, a dimension of its metrics.
pub const FUNCTION: &str = "AWS_LAMBDA_FUNCTION_NAME";
/// Variable: how long a confirmation stays open (`5m`).
pub const VALIDITY: &str = "COUNTERSIGN_VALIDITY";
/// Variable: how long a verified confirmation is kept after the last retry (`7d`).
pub const RETENTION: &str = "COUNTERSIGN_RETENTION";
/// Variable: the URL of the queue for first attempts.
pub const FIRST_ATTEMPTS: &str = "COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL";
/// Variable: the URL of the queue for all later attempts.
pub const RETRIES: &str = "COUNTERSIGN_RETRIES_QUEUE_URL";
/// Variable: the ARN of the key that signs.
pub const SIGNING_KEY: &str = "COUNTERSIGN_SIGNING_KEY_ARN";
/// Variable: the ARNs of other published keys, former ones and the next one.
pub const PUBLISHED_KEYS: &str = "COUNTERSIGN_PUBLISHED_KEY_ARNS";
/// Variable: the private key that signs in the dispatcher, encrypted by KMS, in Base64. Empty if KMS signs.
pub const LOCAL_KEY: &str = "COUNTERSIGN_LOCAL_KEY";
/// Variable: the ARN of the key that encrypted it.
pub const LOCAL_KEY_WRAPPER: &str = "COUNTERSIGN_LOCAL_KEY_WRAPPER_ARN";
/// Variable: the public keys of such keys in Base64: that of the one that signs, former ones and the next one.
pub const LOCAL_PUBLIC_KEYS: &str = "COUNTERSIGN_LOCAL_PUBLIC_KEYS";
/// Variable: `local` if the first of them signs; otherwise the key in KMS does.
pub const SIGNS: &str = "COUNTERSIGN_SIGNS";
/// Variable: the ARN of the topic that brings texts.
pub const TOPIC: &str = "COUNTERSIGN_INBOUND_TOPIC_ARN";
/// Variable: the place of the SMS providers' settings.
pub const INBOUND_SECRETS: &str = "COUNTERSIGN_INBOUND_SECRETS";
/// Variable: the source of carriers: `aws`, or the place of Twilio's credentials. Empty if carriers are not looked up.
pub const CARRIER_LOOKUP: &str = "COUNTERSIGN_CARRIER_LOOKUP";
/// Variable: how many carriers one process may look up in a day.
pub const CARRIER_LOOKUPS_PER_DAY: &str = "COUNTERSIGN_CARRIER_LOOKUPS_PER_DAY";
/// Variable: the address at which SMS providers call the API, unless the settings name another.
pub const PUBLIC_URL: &str = "COUNTERSIGN_PUBLIC_URL";
/// Variable: the URL that browsers open their WebSocket at (`wss://…`).
pub const SOCKET_URL: &str = "COUNTERSIGN_SOCKET_URL";
/// Variable: the endpoint that manages the connections of the WebSocket API (`https://…/STAGE`).
pub const SOCKET_ENDPOINT: &str = "COUNTERSIGN_SOCKET_ENDPOINT";
/// Variable: the place of the secret that CloudFront adds to the requests that it forwards.
pub const ORIGIN_SECRET: &str = "COUNTERSIGN_ORIGIN_SECRET";

/// Variable: the place of the secret from which the webhook secrets of apps derive.
pub const WEBHOOK_SECRET: &str = "COUNTERSIGN_WEBHOOK_SECRET";

/// The environment is invalid. Names every variable that is, and what it should be.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ConfigError(Vec<Fault>);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid environment: ")?;
        for (at, fault) in self.0.iter().enumerate() {
            let gap = if at == 0 { "" } else { "; " };
            write!(f, "{gap}{fault}")?;
        }
        Ok(())
    }
}

/// One variable that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
enum Fault {
    #[error("{0} is missing")]
    Missing(&'static str),
    #[error("{name} is {cause}")]
    Malformed {
        name: &'static str,
        cause: Malformed,
    },
}

/// Reads variables and collects what is wrong with them.
///
/// A variable that is missing or malformed reads as `None`, so that the others are read too;
/// [`Environment::finish`] then reports all faults together.
pub struct Environment<'a> {
    variable: &'a dyn Fn(&str) -> Option<String>,
    faults: Vec<Fault>,
}

impl<'a> Environment<'a> {
    /// Reads from `variable`, which returns the text of the variable with a name.
    #[must_use]
    pub fn new(variable: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            variable,
            faults: Vec::new(),
        }
    }

    /// Reads a variable that must be there.
    pub fn required<T: FromStr<Err = Malformed>>(&mut self, name: &'static str) -> Option<T> {
        match self.parsed(name, str::parse) {
            Variable::Valid(value) => Some(value),
            Variable::Malformed => None,
            Variable::Absent => {
                self.faults.push(Fault::Missing(name));
                None
            }
        }
    }

    /// Reads a variable that may be left out or empty: then it is `Some(None)`.
    pub fn optional<T: FromStr<Err = Malformed>>(
        &mut self,
        name: &'static str,
    ) -> Option<Option<T>> {
        match self.parsed(name, str::parse) {
            Variable::Valid(value) => Some(Some(value)),
            Variable::Malformed => None,
            Variable::Absent => Some(None),
        }
    }

    /// Reads [`TABLE`] and [`DUE_SHARDS`].
    pub fn table(&mut self) -> Option<Table> {
        let (name, due_shards) = (self.required(TABLE), self.optional(DUE_SHARDS));
        Some(Table {
            name: name?,
            due_shards: due_shards?.unwrap_or_default(),
        })
    }

    /// Returns what was read.
    ///
    /// # Errors
    /// Fails if any variable was missing or malformed.
    pub fn finish<T>(self, read: Option<T>) -> Result<T, ConfigError> {
        match read {
            Some(read) if self.faults.is_empty() => Ok(read),
            _ => Err(ConfigError(self.faults)),
        }
    }

    /// Reads [`VALIDITY`] and [`RETENTION`], which have defaults.
    pub fn times(&mut self) -> Option<Times> {
        let default = Times::default();
        let validity = self.parsed(VALIDITY, |text| {
            values::parse_time(text, &VALIDITIES).ok_or(Malformed("a time from 1ms to 1d, like 5m"))
        });
        let retention = self.parsed(RETENTION, |text| {
            values::parse_time(text, &(Duration::ZERO..=MAX_RETENTION))
                .ok_or(Malformed("a time of at most 3650d, like 7d"))
        });
        Some(Times {
            validity: validity.or(default.validity)?,
            retention: retention.or(default.retention)?,
        })
    }

    /// Parses a variable, and notes if it is malformed.
    fn parsed<T>(
        &mut self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, Malformed>,
    ) -> Variable<T> {
        let Some(text) = (self.variable)(name).filter(|text| !text.is_empty()) else {
            return Variable::Absent;
        };
        match parse(&text) {
            Ok(value) => Variable::Valid(value),
            Err(cause) => {
                self.faults.push(Fault::Malformed { name, cause });
                Variable::Malformed
            }
        }
    }
}

enum Variable<T> {
    /// It is left out or empty.
    Absent,
    /// It is malformed, which is among the faults.
    Malformed,
    Valid(T),
}

impl<T> Variable<T> {
    /// Returns the value, or the default if the variable is absent.
    fn or(self, default: T) -> Option<T> {
        match self {
            Self::Absent => Some(default),
            Self::Malformed => None,
            Self::Valid(value) => Some(value),
        }
    }
}
