use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::Quota;

/// An operator's changes to one quota of an app. Absent values use the default.
#[serde_with::skip_serializing_none]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotaSettings {
    /// Sustained number of items that may be started per minute.
    pub per_minute: Option<NonZeroU32>,
    /// Number of items that may be started in a burst.
    pub burst: Option<NonZeroU32>,
    /// Number of items that may be open at the same time.
    pub max_open: Option<NonZeroU32>,
}

impl QuotaSettings {
    /// Returns the quota, using the values of `default` where none are set.
    #[must_use]
    pub fn or(self, default: Quota) -> Quota {
        Quota {
            per_minute: self.per_minute.unwrap_or(default.per_minute),
            burst: self.burst.unwrap_or(default.burst),
            max_open: self.max_open.unwrap_or(default.max_open),
        }
    }
}

/// An operator's changes to the quotas of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AppQuotas {
    /// Changes to the quota for confirmations.
    pub confirmations: QuotaSettings,
    /// Changes to the quota for logins.
    pub logins: QuotaSettings,
    /// Changes to the quota for association keys.
    pub association_keys: QuotaSettings,
    /// Changes to the quota for lists.
    pub lists: QuotaSettings,
}

impl AppQuotas {
    #[must_use]
    pub fn for_confirmations(&self) -> Quota {
        self.confirmations.or(Quota::CONFIRMATIONS)
    }

    #[must_use]
    pub fn for_logins(&self) -> Quota {
        self.logins.or(Quota::LOGINS)
    }

    #[must_use]
    pub fn for_association_keys(&self) -> Quota {
        self.association_keys.or(Quota::ASSOCIATION_KEYS)
    }

    #[must_use]
    pub fn for_lists(&self) -> Quota {
        self.lists.or(Quota::LISTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_are_the_default() {
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
    }
}
