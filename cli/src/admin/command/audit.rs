//! The arguments of `audit`.

use clap::Args;
use countersign_domain::primitives::ids::AppId;
use serde::{Deserialize, Serialize};

/// The arguments of `audit`.
#[derive(Clone, Debug, PartialEq, Eq, Args, Serialize, Deserialize)]
pub(crate) struct AuditQuery {
    /// Show only records about this app
    #[arg(long)]
    pub(crate) app: Option<AppId>,
    /// Show at most this many records, newest first
    #[arg(long, value_name = "COUNT", default_value_t = 50)]
    pub(crate) last: usize,
}

/// A change of an SMS provider's settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProviderChange {
    pub(crate) provider: String,
    pub(crate) removed: bool,
}
