use std::num::NonZeroU32;

use super::Quota;

/// One quota of an app as an operator set it. What is not set has the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct QuotaSettings {
    /// How many may be begun in a minute.
    pub per_minute: Option<NonZeroU32>,
    /// How many may be begun at once.
    pub burst: Option<NonZeroU32>,
    /// How many may be open.
    pub max_open: Option<NonZeroU32>,
}

impl QuotaSettings {
    /// The quota, with `default` for what was not said.
    #[must_use]
    pub fn or(self, default: Quota) -> Quota {
        Quota {
            per_minute: self.per_minute.unwrap_or(default.per_minute),
            burst: self.burst.unwrap_or(default.burst),
            max_open: self.max_open.unwrap_or(default.max_open),
        }
    }
}

/// The quotas that an operator set for an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct AppQuotas {
    /// About confirmations.
    pub confirmations: QuotaSettings,
    /// About logins.
    pub logins: QuotaSettings,
}

impl AppQuotas {
    /// The quota for confirmations.
    #[must_use]
    pub fn for_confirmations(&self) -> Quota {
        self.confirmations.or(Quota::CONFIRMATIONS)
    }

    /// The quota for logins.
    #[must_use]
    pub fn for_logins(&self) -> Quota {
        self.logins.or(Quota::LOGINS)
    }

    /// Whether nothing was said.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_set_have_the_default() {
        let settings = AppQuotas {
            logins: QuotaSettings {
                burst: NonZeroU32::new(7),
                ..QuotaSettings::default()
            },
            ..AppQuotas::default()
        };
        assert_eq!(settings.for_logins().burst.get(), 7);
        assert_eq!(settings.for_logins().max_open, Quota::LOGINS.max_open);
        assert_eq!(settings.for_confirmations(), Quota::CONFIRMATIONS);
        assert!(!settings.is_default());
    }
}
