//! How the domain's types are written as attributes, and read back.

mod app;
mod confirmation;
mod delivery;
mod history;
mod login;
mod sighting;
#[cfg(test)]
mod tests;

pub(super) use app::{
    AppItem, REVOKED_AT, app_changes, decode_app, decode_owner, decode_profile, encode_key, new_app,
};
pub(super) use confirmation::{decode_confirmation, encode_confirmation, flow, state};
pub(super) use delivery::{encode_attempt, progress};
pub(super) use history::{NEVER, decode_denials, decode_person, encode_person, mark_name};
pub(super) use login::{decode_login, encode_login, encode_payload, encode_phone, status};
