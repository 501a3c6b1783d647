//! Options for an app's quotas.

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::admin::argument::QuotaNumber;

/// Options of `app create` and `app update` for quotas.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Quotas")]
#[expect(
    clippy::struct_field_names,
    reason = "fields are named after their flags"
)]
pub(crate) struct QuotaOptions {
    /// Sustained confirmations per minute
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_confirmations_per_minute: Option<QuotaNumber>,
    /// Burst of confirmations after a pause
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_confirmation_burst: Option<QuotaNumber>,
    /// Confirmations that may be open at the same time
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_open_confirmations: Option<QuotaNumber>,
    /// Sustained logins per minute
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_logins_per_minute: Option<QuotaNumber>,
    /// Burst of logins after a pause
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_login_burst: Option<QuotaNumber>,
    /// Undecided logins that may be open at the same time
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_open_logins: Option<QuotaNumber>,
    /// Sustained registrations of association keys per minute
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_association_keys_per_minute: Option<QuotaNumber>,
    /// Burst of registrations of association keys after a pause
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_association_key_burst: Option<QuotaNumber>,
    /// Association keys that the app may have, revoked ones included
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_association_keys: Option<QuotaNumber>,
    /// Sustained lists of confirmations and logins per minute
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_lists_per_minute: Option<QuotaNumber>,
    /// Lists in a burst after a pause
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_list_burst: Option<QuotaNumber>,
    /// Lists that may be under way at the same time
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_lists_under_way: Option<QuotaNumber>,
}
