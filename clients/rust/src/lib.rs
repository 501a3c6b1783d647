//! Countersign for servers: phone numbers by text, logins by QR code, and approvals.
//!
//! The [README](https://github.com/countersign/countersign/blob/main/clients/rust/README.md) is the guide. Create a
//! [`Countersign`] with its [builder](Countersign::builder), mount a [`handlers::WebhookHandler`], and start with
//! [`Confirmations::acquire`], a [`handlers::LoginHandler`] or [`Approvals::start`].

mod approvals;
mod association_keys;
mod builder;
mod call;
mod callback;
mod client;
mod clock;
mod confirmations;
mod error;
pub mod handlers;
mod identity;
mod inner;
mod key_set;
pub mod limits;
mod links;
mod lists;
mod logins;
mod memory_store;
mod options;
mod passkey_proof;
mod phone_registrations;
mod problem_code;
mod proof;
mod request;
mod retry;
mod service;
mod store;
#[cfg(feature = "testing")]
pub mod testing;
mod transport;
mod types;
mod verification;
mod webhooks;
mod world;

#[cfg(test)]
mod tests;

pub use approvals::{
    Approval, ApprovalResult, ApprovalSession, Approvals, DenialReason, ExpiryReason, ResultOf,
    StartApproval,
};
pub use association_keys::AssociationKeys;
pub use async_trait::async_trait;
pub use builder::Builder;
pub use call::Call;
pub use client::Countersign;
pub use confirmations::{Confirmations, StartConfirmation};
pub use error::{
    BoxError, ConnectionError, Error, KeysUnavailable, LoginRefused, PhoneRefusal, PhoneRefused,
    Problem, RecordMissing, WebhookReason, WebhookRefused,
};
pub use lists::{ListConfirmations, ListLogins};
pub use logins::{LoginDetail, LoginExpectation, Logins};
pub use memory_store::MemoryStore;
pub use phone_registrations::PhoneRegistrations;
pub use problem_code::code;
pub use proof::{KnownKey, Login, key_id};
pub use store::{Acceptance, Act, ActFailed, Store};
pub use types::*;
pub use webhooks::{Event, Webhooks};

/// The version of this library, sent in the requests' `user-agent`.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Compiles the README's samples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
