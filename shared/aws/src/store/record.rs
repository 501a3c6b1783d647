//! How the domain's types are written as attributes, and read back.

mod app;
mod confirmation;
mod delivery;
#[cfg(test)]
mod tests;

pub(super) use app::{
    AppItem, REVOKED_AT, app_changes, decode_app, decode_owner, decode_profile, encode_key, new_app,
};
pub(super) use confirmation::{decode_confirmation, encode_confirmation, flow, state};
pub(super) use delivery::{encode_attempt, progress};
