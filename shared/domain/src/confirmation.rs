//! Confirmations: each verifies one phone number, from the API call to the last webhook attempt.
//!
//! All data of a confirmation is one item in the store, and each function in [`transitions`] is one
//! conditional write.

pub mod carrier;
pub mod client;
pub mod miss;
pub mod simulation;
mod state;
pub mod subject;
pub mod text;
pub mod transitions;
pub mod uri;
pub mod webhook;

pub use state::{
    Confirmation, Flow, Idempotency, MAX_RETENTION, OpenIdConfirmation, RETENTION, Redactable,
    SecondSender, State, Status, TextChannel, TextFingerprint, TextOrigin, VALIDITIES, VALIDITY,
    Verified,
};
