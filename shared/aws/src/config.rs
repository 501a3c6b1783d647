//! The environment variables of a function, read once at startup.
//!
//! One error lists every variable that is missing or malformed, so that a broken deployment can be
//! fixed in one step.

pub mod settings;
#[cfg(test)]
mod tests;
mod values;
mod variables;

use std::fmt;

use thiserror::Error;

pub use values::{
    CarrierLookupSource, Count, Endpoint, KeyArn, KeyArns, Locally, Malformed, Name, PublicKeys,
    PublicUrl, QueueUrl, Retention, SecretName, SocketUrl, TableName, Text, TopicArn, Validity,
    WrappedKey,
};
use variables::Fault;
pub use variables::read;

/// Prefix of our own variables.
pub const OURS: &str = "COUNTERSIGN_";

/// The environment is invalid. Lists every invalid variable, and its expected form.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ConfigError(Vec<Fault>);

impl ConfigError {
    /// Returns both values, or all errors of both.
    ///
    /// # Errors
    /// Fails if either could not be read.
    pub fn both<A, B>(a: Result<A, Self>, b: Result<B, Self>) -> Result<(A, B), Self> {
        match (a, b) {
            (Ok(a), Ok(b)) => Ok((a, b)),
            (a, b) => {
                let faults = a.err().into_iter().chain(b.err());
                Err(Self(faults.flat_map(|error| error.0).collect()))
            }
        }
    }
}

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
