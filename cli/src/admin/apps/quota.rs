//! Changing an app's quotas.

use std::num::NonZeroU32;

use countersign_domain::app::quota::AppQuotas;

use crate::admin::argument::{Argument, QuotaNumber};
use crate::admin::command::QuotaChange;

/// Applies the options that were given and leaves the rest alone.
pub(super) fn change(quotas: &mut AppQuotas, change: &QuotaChange) {
    let AppQuotas {
        confirmations,
        logins,
        association_keys: keys,
    } = quotas;
    set(
        &mut confirmations.per_minute,
        change.max_confirmations_per_minute.as_ref(),
    );
    set(
        &mut confirmations.burst,
        change.max_confirmation_burst.as_ref(),
    );
    set(
        &mut confirmations.max_open,
        change.max_open_confirmations.as_ref(),
    );
    set(
        &mut logins.per_minute,
        change.max_logins_per_minute.as_ref(),
    );
    set(&mut logins.burst, change.max_login_burst.as_ref());
    set(&mut logins.max_open, change.max_open_logins.as_ref());
    set(
        &mut keys.per_minute,
        change.max_association_keys_per_minute.as_ref(),
    );
    set(&mut keys.burst, change.max_association_key_burst.as_ref());
    set(&mut keys.max_open, change.max_association_keys.as_ref());
}

fn set(setting: &mut Option<NonZeroU32>, named: Option<&Argument<QuotaNumber>>) {
    if let Some(Argument(number)) = named {
        *setting = number.number();
    }
}
