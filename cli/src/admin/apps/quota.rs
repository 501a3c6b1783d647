//! Setting an app's quotas.

use countersign_domain::app::quota::AppQuotas;

use super::replace;
use crate::admin::argument::QuotaNumber;
use crate::admin::command::QuotaOptions;

/// Applies the given options and keeps the other settings.
pub(super) fn set(quotas: &mut AppQuotas, given: &QuotaOptions) {
    let AppQuotas {
        confirmations,
        logins,
        association_keys: keys,
        lists,
    } = quotas;
    for (setting, given) in [
        (
            &mut confirmations.per_minute,
            given.max_confirmations_per_minute,
        ),
        (&mut confirmations.burst, given.max_confirmation_burst),
        (&mut confirmations.max_open, given.max_open_confirmations),
        (&mut logins.per_minute, given.max_logins_per_minute),
        (&mut logins.burst, given.max_login_burst),
        (&mut logins.max_open, given.max_open_logins),
        (&mut keys.per_minute, given.max_association_keys_per_minute),
        (&mut keys.burst, given.max_association_key_burst),
        (&mut keys.max_open, given.max_association_keys),
        (&mut lists.per_minute, given.max_lists_per_minute),
        (&mut lists.burst, given.max_list_burst),
        (&mut lists.max_open, given.max_lists_under_way),
    ] {
        replace(setting, given.map(|QuotaNumber(number)| number));
    }
}
