//! The webhook secrets of an app that are in force.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The numbers of the secrets that sign an app's webhooks. The first one is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretsInForce {
    newest: u32,
    /// True if the previous secret also signs.
    former: bool,
}

/// The reason why an app's secrets are not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SecretRefusal {
    #[error("two secrets already sign; retire the former one first")]
    TwoInForce,
    #[error("only one secret signs; it cannot be retired")]
    OneInForce,
}

impl SecretsInForce {
    /// Returns the numbers, newest first.
    pub(crate) fn numbers(self) -> impl Iterator<Item = u32> {
        let former = self.newest.checked_sub(1).filter(|_| self.former);
        std::iter::once(self.newest).chain(former)
    }

    /// Returns the number of secrets in force: two during a rotation.
    #[must_use]
    pub fn count(self) -> usize {
        self.numbers().count()
    }

    /// Adds a new secret; the current one continues to sign.
    ///
    /// # Errors
    /// Fails if two secrets are in force.
    pub const fn rotated(self) -> Result<Self, SecretRefusal> {
        if self.former {
            return Err(SecretRefusal::TwoInForce);
        }
        Ok(Self {
            newest: self.newest.saturating_add(1),
            former: true,
        })
    }

    /// Removes all secrets but the newest.
    ///
    /// # Errors
    /// Fails if only one secret is in force.
    pub const fn retired(self) -> Result<Self, SecretRefusal> {
        if !self.former {
            return Err(SecretRefusal::OneInForce);
        }
        Ok(Self {
            former: false,
            ..self
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_secrets_are_in_force_during_a_rotation() {
        let before = SecretsInForce::default();
        assert_eq!(before.retired(), Err(SecretRefusal::OneInForce));
        let both = before.rotated().unwrap();
        assert_eq!(both.rotated(), Err(SecretRefusal::TwoInForce));
        let after = both.retired().unwrap();
        assert_eq!([before, both, after].map(SecretsInForce::count), [1, 2, 1]);
        assert_eq!(
            [before, both, after].map(|secrets| secrets.numbers().collect::<Vec<_>>()),
            [vec![0], vec![1, 0], vec![1]]
        );
    }
}
