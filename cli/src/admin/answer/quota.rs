//! An app's quotas, as operators see them.

use std::fmt;

use countersign_domain::app::App;
use countersign_domain::app::quota::Quota;
use serde::{Deserialize, Serialize};

/// An app's quotas in effect, defaults included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuotasView {
    pub(crate) confirmations: QuotaView,
    pub(crate) logins: QuotaView,
    /// For association keys, each of which counts as open for ever.
    pub(crate) association_keys: QuotaView,
    /// For lists, each of which is open until it is answered.
    pub(crate) lists: QuotaView,
}

/// A quota for items of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct QuotaView {
    /// Sustained starts per minute.
    pub(crate) per_minute: u32,
    /// Burst of starts after a pause.
    pub(crate) burst: u32,
    /// The number that may be open at the same time.
    pub(crate) max_open: u32,
}

impl QuotasView {
    /// Describes an app's quotas.
    pub(crate) fn of(app: &App) -> Self {
        Self {
            confirmations: QuotaView::of(app.quotas.for_confirmations()),
            logins: QuotaView::of(app.quotas.for_logins()),
            association_keys: QuotaView::of(app.quotas.for_association_keys()),
            lists: QuotaView::of(app.quotas.for_lists()),
        }
    }
}

impl QuotaView {
    const fn of(quota: Quota) -> Self {
        Self {
            per_minute: quota.per_minute.get(),
            burst: quota.burst.get(),
            max_open: quota.max_open.get(),
        }
    }
}

impl fmt::Display for QuotaView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            per_minute,
            burst,
            max_open,
        } = self;
        write!(f, "{per_minute} a minute, {burst} at once, {max_open} open")
    }
}

impl fmt::Display for QuotasView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "confirmations     {}", self.confirmations)?;
        writeln!(f, "logins            {}", self.logins)?;
        writeln!(f, "association keys  {}", self.association_keys)?;
        write!(f, "lists             {}", self.lists)
    }
}
