//! An app's quotas.

use clap::Args;
use countersign_domain::app::quota::{AppQuotas, Quota};
use serde::{Deserialize, Serialize};

use super::replace;
use crate::admin::argument::QuotaNumber;
use crate::print::Tree;

/// Options of `app create` and `app update` for quotas.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[serde(default)]
#[command(next_help_heading = "Quotas")]
#[expect(
    clippy::struct_field_names,
    reason = "fields are named after their flags"
)]
pub(crate) struct QuotaOptions {
    /// Sustained confirmations per minute
    #[arg(long, value_name = "NUMBER|default")]
    max_confirmations_per_minute: Option<QuotaNumber>,
    /// Burst of confirmations after a pause
    #[arg(long, value_name = "NUMBER|default")]
    max_confirmation_burst: Option<QuotaNumber>,
    /// Confirmations that may be open at the same time
    #[arg(long, value_name = "NUMBER|default")]
    max_open_confirmations: Option<QuotaNumber>,
    /// Sustained logins per minute
    #[arg(long, value_name = "NUMBER|default")]
    max_logins_per_minute: Option<QuotaNumber>,
    /// Burst of logins after a pause
    #[arg(long, value_name = "NUMBER|default")]
    max_login_burst: Option<QuotaNumber>,
    /// Undecided logins that may be open at the same time
    #[arg(long, value_name = "NUMBER|default")]
    max_open_logins: Option<QuotaNumber>,
    /// Sustained registrations of association keys per minute
    #[arg(long, value_name = "NUMBER|default")]
    max_association_keys_per_minute: Option<QuotaNumber>,
    /// Burst of registrations of association keys after a pause
    #[arg(long, value_name = "NUMBER|default")]
    max_association_key_burst: Option<QuotaNumber>,
    /// Association keys that the app may have, revoked ones included
    #[arg(long, value_name = "NUMBER|default")]
    max_association_keys: Option<QuotaNumber>,
    /// Sustained lists of confirmations and logins per minute
    #[arg(long, value_name = "NUMBER|default")]
    max_lists_per_minute: Option<QuotaNumber>,
    /// Lists in a burst after a pause
    #[arg(long, value_name = "NUMBER|default")]
    max_list_burst: Option<QuotaNumber>,
    /// Lists that may be in progress at the same time
    #[arg(long, value_name = "NUMBER|default")]
    max_lists_under_way: Option<QuotaNumber>,
}

impl QuotaOptions {
    /// Sets the given quotas.
    pub(super) fn apply(self, quotas: &mut AppQuotas) {
        let AppQuotas {
            confirmations,
            logins,
            association_keys: keys,
            lists,
        } = quotas;
        for (setting, given) in [
            (
                &mut confirmations.per_minute,
                self.max_confirmations_per_minute,
            ),
            (&mut confirmations.burst, self.max_confirmation_burst),
            (&mut confirmations.max_open, self.max_open_confirmations),
            (&mut logins.per_minute, self.max_logins_per_minute),
            (&mut logins.burst, self.max_login_burst),
            (&mut logins.max_open, self.max_open_logins),
            (&mut keys.per_minute, self.max_association_keys_per_minute),
            (&mut keys.burst, self.max_association_key_burst),
            (&mut keys.max_open, self.max_association_keys),
            (&mut lists.per_minute, self.max_lists_per_minute),
            (&mut lists.burst, self.max_list_burst),
            (&mut lists.max_open, self.max_lists_under_way),
        ] {
            replace(setting, given.map(|QuotaNumber(number)| number));
        }
    }
}

/// Returns the quotas in effect as `--json` prints them, defaults included.
pub(super) fn describe(quotas: &AppQuotas) -> Tree {
    let quota = |quota: Quota| {
        Tree::members([
            ("perMinute", Tree::from_value(&quota.per_minute)),
            ("burst", Tree::from_value(&quota.burst)),
            ("maxOpen", Tree::from_value(&quota.max_open)),
        ])
    };
    Tree::members([
        ("confirmations", quota(quotas.for_confirmations())),
        ("logins", quota(quotas.for_logins())),
        // Association keys never stop counting as open.
        ("associationKeys", quota(quotas.for_association_keys())),
        // A list counts as open until it is answered.
        ("lists", quota(quotas.for_lists())),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_options, options_of};
    use super::*;

    #[test]
    fn each_option_is_applied_and_shown() {
        let options = options_of::<QuotaOptions>();
        let lines = options
            .iter()
            .map(|name| format!("--{name} 7\t--{name} default"));
        let lines: Vec<_> = lines.collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        check_options(&options, &lines);
    }
}
