//! Which webhook secrets of an app are in force.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The numbers of the secrets that sign an app's webhooks. The first one is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretsInForce {
    newest: u32,
    /// Whether the one before signs, too.
    former: bool,
}

/// The reason why an app's secrets stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SecretRefusal {
    #[error("two secrets sign already; retire the former one first")]
    TwoInForce,
    #[error("only one secret signs, which cannot be retired")]
    OneInForce,
}

impl SecretsInForce {
    /// Returns the numbers, the newest first.
    pub(crate) fn numbers(self) -> impl Iterator<Item = u32> {
        let former = self.newest.checked_sub(1).filter(|_| self.former);
        std::iter::once(self.newest).chain(former)
    }

    /// Adds a new secret, beside which the present one goes on to sign.
    ///
    /// # Errors
    /// Fails if two are in force.
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
    /// Fails if it already does.
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
        assert_eq!(
            [before, both, after].map(|secrets| secrets.numbers().collect::<Vec<_>>()),
            [vec![0], vec![1, 0], vec![1]]
        );
    }
}
