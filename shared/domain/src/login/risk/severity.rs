//! The seriousness of a single flag.

use super::RiskStatus;

/// The seriousness of a flag. Unlike a login, a flag is never `clear`: one that changes no verdict
/// informs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The flag changes no verdict.
    Info,
    /// The flag makes the risk at least [`RiskStatus::Warn`].
    Warn,
    /// The flag makes the risk [`RiskStatus::Deny`].
    Deny,
}

impl Severity {
    /// Every severity, from the least serious to the most.
    pub const ALL: [Self; 3] = [Self::Info, Self::Warn, Self::Deny];

    /// Returns the severity of a flag from which this verdict follows.
    pub(super) const fn of(status: RiskStatus) -> Self {
        match status {
            RiskStatus::Clear => Self::Info,
            RiskStatus::Warn => Self::Warn,
            RiskStatus::Deny => Self::Deny,
        }
    }

    /// Returns the name that programs use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}
