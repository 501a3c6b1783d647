use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use super::Quota;

/// What an operator said about one quota of an app; what they did not say is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct QuotaSettings {
    /// How many may be begun in a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_minute: Option<NonZeroU32>,
    /// How many may be begun at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub burst: Option<NonZeroU32>,
    /// How many may be open.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// What an operator said about an app's quotas. Stores keep it in this form; what a later release
/// adds is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
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

    /// The settings in JSON, for stores that keep texts.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers can always be written; an empty text would not read back.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<Self, MalformedQuotas> {
        serde_json::from_str(text).map_err(|_| MalformedQuotas)
    }
}

/// A text that is no quota settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the quotas are malformed")]
pub struct MalformedQuotas;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_read_back_and_what_is_absent_is_the_default() {
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
