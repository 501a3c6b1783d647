//! Predicates for failing store calls.

use countersign_conformance::failing::Access;
use countersign_domain::store::Key;

/// Selects the calls about confirmations.
pub(crate) fn confirmations(access: Access<'_>) -> bool {
    matches!(key(access), Some(Key::Confirmation(_)))
}

/// Selects the calls about logins.
pub(crate) fn logins(access: Access<'_>) -> bool {
    matches!(key(access), Some(Key::Login(_)))
}

/// Selects the calls about apps and their keys.
pub(crate) fn apps(access: Access<'_>) -> bool {
    match key(access) {
        Some(key) => matches!(key, Key::App(_) | Key::ApiKey(_) | Key::Profile),
        None => true,
    }
}

fn key(access: Access<'_>) -> Option<&Key> {
    match access {
        Access::Read(key) | Access::Write(key) => Some(key),
        Access::List(_) | Access::Due(..) => None,
    }
}
