//! What Countersign is, without the world around it: words as types, states and the transitions
//! between them, the use cases, and the ports through which time, chance and IO come in.
//!
//! Nothing here knows HTTP, AWS or an async runtime. The use cases are `async` over the traits in
//! [`ports`], so whoever hosts them decides what runs them.

pub mod address;
pub mod api_key;
pub mod app;
mod base62;
pub mod callback_url;
pub mod canonical_json;
pub mod clock_guard;
pub mod code;
pub mod confirmation;
pub mod delivery;
pub mod event;
pub mod idempotency;
pub mod ids;
pub mod login;
pub mod phone;
pub mod ports;
pub mod qr_session;
pub mod quota;
pub mod risk;
pub mod senders;
pub mod signing;
pub mod template;
#[cfg(test)]
mod test_support;
pub mod text;
pub mod time;
pub mod uri;
pub mod use_cases;
