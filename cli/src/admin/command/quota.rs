//! Options for an app's quotas.

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::admin::argument::{Argument, QuotaNumber};

/// The quota options of `app create`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Quotas")]
#[serde(default)]
#[expect(
    clippy::struct_field_names,
    reason = "fields are named after their flags"
)]
pub(crate) struct NewQuotas {
    /// Sustained confirmations per minute
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_confirmations_per_minute: Option<Argument<QuotaNumber>>,
    /// Confirmations at once after a pause
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_confirmation_burst: Option<Argument<QuotaNumber>>,
    /// Confirmations that may be open at the same time
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_open_confirmations: Option<Argument<QuotaNumber>>,
    /// Sustained logins per minute
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_logins_per_minute: Option<Argument<QuotaNumber>>,
    /// Logins at once after a pause
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_login_burst: Option<Argument<QuotaNumber>>,
    /// Undecided logins that may be open at the same time
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_open_logins: Option<Argument<QuotaNumber>>,
    /// Sustained registrations of association keys per minute
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_association_keys_per_minute: Option<Argument<QuotaNumber>>,
    /// Registrations of association keys at once after a pause
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_association_key_burst: Option<Argument<QuotaNumber>>,
    /// Association keys that the app may have, revoked ones included
    #[arg(long, value_name = "NUMBER|default")]
    pub(crate) max_association_keys: Option<Argument<QuotaNumber>>,
}

/// The quota options of `app update`; options that are left out change nothing.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Quotas")]
#[serde(default)]
#[expect(
    clippy::struct_field_names,
    reason = "fields are named after their flags"
)]
pub(crate) struct QuotaChange {
    /// Sustained confirmations per minute
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_confirmations_per_minute: Option<Argument<QuotaNumber>>,
    /// Confirmations at once after a pause
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_confirmation_burst: Option<Argument<QuotaNumber>>,
    /// Confirmations that may be open at the same time
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_open_confirmations: Option<Argument<QuotaNumber>>,
    /// Sustained logins per minute
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_logins_per_minute: Option<Argument<QuotaNumber>>,
    /// Logins at once after a pause
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_login_burst: Option<Argument<QuotaNumber>>,
    /// Undecided logins that may be open at the same time
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_open_logins: Option<Argument<QuotaNumber>>,
    /// Sustained registrations of association keys per minute
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_association_keys_per_minute: Option<Argument<QuotaNumber>>,
    /// Registrations of association keys at once after a pause
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_association_key_burst: Option<Argument<QuotaNumber>>,
    /// Association keys that the app may have, revoked ones included
    #[arg(long, value_name = "NUMBER|default", group = "change")]
    pub(crate) max_association_keys: Option<Argument<QuotaNumber>>,
}

impl From<NewQuotas> for QuotaChange {
    fn from(new: NewQuotas) -> Self {
        Self {
            max_confirmations_per_minute: new.max_confirmations_per_minute,
            max_confirmation_burst: new.max_confirmation_burst,
            max_open_confirmations: new.max_open_confirmations,
            max_logins_per_minute: new.max_logins_per_minute,
            max_login_burst: new.max_login_burst,
            max_open_logins: new.max_open_logins,
            max_association_keys_per_minute: new.max_association_keys_per_minute,
            max_association_key_burst: new.max_association_key_burst,
            max_association_keys: new.max_association_keys,
        }
    }
}
