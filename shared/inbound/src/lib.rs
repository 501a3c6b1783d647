//! Texts that arrive through SMS providers: who called, and what they brought.
//!
//! Each provider has a module of its own, which authenticates a call on its raw bytes and turns it
//! into an [`InboundMessage`](countersign_domain::confirmation::text::InboundMessage). What the text means is
//! judged elsewhere: nothing here knows a code, a session or a store.
//!
//! A provider that calls over HTTP is added as a module, a variant of [`Provider`] and a field of
//! [`InboundSecrets`]. [`end_user_messaging`] does not call: its texts come by an SNS topic.

pub mod end_user_messaging;
mod error;
pub mod generic;
mod members;
mod provider;

pub use error::{InboundError, MalformedText};
pub use generic::{InboundSecret, MalformedSecret};
pub use provider::{InboundRequest, InboundSecrets, Provider};

/// The longest body that is taken, in bytes. One text is far below it.
pub const MAX_BODY: usize = 16 * 1024;
