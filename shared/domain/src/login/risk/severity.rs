//! The seriousness of a single flag.

use super::RiskStatus;

/// The seriousness of a flag. Unlike a login, a flag is never `clear`: a flag that changes no
/// verdict is `info`.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Severity {
    /// The flag does not change the verdict.
    Info,
    /// The flag makes the risk at least [`RiskStatus::Warn`].
    Warn,
    /// The flag makes the risk [`RiskStatus::Deny`].
    Deny,
}

impl Severity {
    /// Returns the severity of a flag that causes this verdict.
    pub(super) const fn from_status(status: RiskStatus) -> Self {
        match status {
            RiskStatus::Clear => Self::Info,
            RiskStatus::Warn => Self::Warn,
            RiskStatus::Deny => Self::Deny,
        }
    }
}
