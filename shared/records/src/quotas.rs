//! The stored form of an app's quotas.

use std::num::NonZeroU32;

use countersign_domain::app::quota::{AppQuotas, QuotaSettings};
use serde::{Deserialize, Serialize};

/// An app's quotas, embedded in its record. Absent numbers have their default.
#[derive(Serialize, Deserialize)]
pub(crate) struct QuotasRecord {
    #[serde(default)]
    confirmations: QuotaRecord,
    #[serde(default)]
    logins: QuotaRecord,
    #[serde(default, skip_serializing_if = "QuotaRecord::is_default")]
    association_keys: QuotaRecord,
}

#[derive(PartialEq, Default, Serialize, Deserialize)]
struct QuotaRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    per_minute: Option<NonZeroU32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<NonZeroU32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_open: Option<NonZeroU32>,
}

impl QuotaRecord {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl From<&AppQuotas> for QuotasRecord {
    fn from(quotas: &AppQuotas) -> Self {
        Self {
            confirmations: (&quotas.confirmations).into(),
            logins: (&quotas.logins).into(),
            association_keys: (&quotas.association_keys).into(),
        }
    }
}

impl From<QuotasRecord> for AppQuotas {
    fn from(record: QuotasRecord) -> Self {
        Self {
            confirmations: record.confirmations.into(),
            logins: record.logins.into(),
            association_keys: record.association_keys.into(),
        }
    }
}

impl From<&QuotaSettings> for QuotaRecord {
    fn from(settings: &QuotaSettings) -> Self {
        Self {
            per_minute: settings.per_minute,
            burst: settings.burst,
            max_open: settings.max_open,
        }
    }
}

impl From<QuotaRecord> for QuotaSettings {
    fn from(record: QuotaRecord) -> Self {
        Self {
            per_minute: record.per_minute,
            burst: record.burst,
            max_open: record.max_open,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<AppQuotas, serde_json::Error> {
        serde_json::from_str::<QuotasRecord>(json).map(Into::into)
    }

    #[test]
    fn absent_numbers_get_defaults_and_unknown_fields_are_ignored() {
        assert_eq!(read("{}").unwrap(), AppQuotas::default());
        let later = r#"{"logins":{"per_hour":3},"texts":{}}"#;
        assert_eq!(read(later).unwrap(), AppQuotas::default());
        let set = read(r#"{"logins":{"burst":7}}"#).unwrap();
        assert_eq!(set.for_logins().burst.get(), 7);
    }

    #[test]
    fn quotas_that_are_not_positive_numbers_are_refused() {
        for bad in [
            "",
            "7",
            r#"{"logins":{"burst":0}}"#,
            r#"{"logins":{"burst":-1}}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
