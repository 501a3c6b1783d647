use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::Quota;

/// An operator's changes to one quota of an app. Absent values keep the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotaSettings {
    /// Sustained number of items that may be started per minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<NonZeroU32>,
    /// Number of items that may be started at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<NonZeroU32>,
    /// Number of items that may be open at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_open: Option<NonZeroU32>,
}

impl QuotaSettings {
    /// Returns the quota, with the values of `default` where none are set.
    #[must_use]
    pub fn or(self, default: Quota) -> Quota {
        Quota {
            per_minute: self.per_minute.unwrap_or(default.per_minute),
            burst: self.burst.unwrap_or(default.burst),
            max_open: self.max_open.unwrap_or(default.max_open),
        }
    }
}

/// An operator's changes to the quotas of an app, in the form that stores keep. Reading ignores
/// members that a later release added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AppQuotas {
    /// Changes to the quota for confirmations.
    pub confirmations: QuotaSettings,
    /// Changes to the quota for logins.
    pub logins: QuotaSettings,
}

impl AppQuotas {
    /// Returns the quota for confirmations.
    #[must_use]
    pub fn for_confirmations(&self) -> Quota {
        self.confirmations.or(Quota::CONFIRMATIONS)
    }

    /// Returns the quota for logins.
    #[must_use]
    pub fn for_logins(&self) -> Quota {
        self.logins.or(Quota::LOGINS)
    }

    /// Returns whether nothing is changed.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the settings as JSON, for stores that keep texts.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers can always be serialised; an empty text would be refused on reading.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Parses JSON.
    ///
    /// # Errors
    ///
    /// Fails if the text does not contain quota settings.
    pub fn from_json(text: &str) -> Result<Self, MalformedQuotas> {
        serde_json::from_str(text).map_err(|_| MalformedQuotas)
    }
}

/// The error for a text that does not contain quota settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the quotas are malformed")]
pub struct MalformedQuotas;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_round_trip_and_absent_values_are_the_default() {
        let settings = AppQuotas {
            logins: QuotaSettings {
                burst: NonZeroU32::new(7),
                ..QuotaSettings::default()
            },
            ..AppQuotas::default()
        };
        assert_eq!(AppQuotas::from_json(&settings.to_json()), Ok(settings));
        assert_eq!(settings.for_logins().burst.get(), 7);
        assert_eq!(settings.for_logins().max_open, Quota::LOGINS.max_open);
        assert_eq!(settings.for_confirmations(), Quota::CONFIRMATIONS);
        assert_eq!(AppQuotas::from_json("{}"), Ok(AppQuotas::default()));
        let later = r#"{"logins":{"per_hour":3},"texts":{}}"#;
        assert_eq!(AppQuotas::from_json(later), Ok(AppQuotas::default()));
        for bad in [
            "",
            "7",
            r#"{"logins":{"burst":0}}"#,
            r#"{"logins":{"burst":-1}}"#,
        ] {
            assert!(AppQuotas::from_json(bad).is_err(), "{bad}");
        }
    }
}
