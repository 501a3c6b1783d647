//! Texts that arrive through SMS providers: authentication and parsing.
//!
//! Each provider has a module that authenticates a call on its raw bytes and turns it into an
//! [`InboundMessage`](countersign_domain::confirmation::text::InboundMessage). Other crates
//! interpret the text: this one knows no codes, confirmations or stores.
//!
//! To add a provider that calls over HTTP, add a module, a variant of [`Provider`] and a field of
//! [`InboundSecrets`]. [`end_user_messaging`] does not call: its texts arrive through an SNS topic.

pub mod end_user_messaging;
mod error;
pub mod generic;
mod members;
mod provider;

pub use error::{InboundError, MalformedText};
pub use generic::{InboundSecret, MalformedSecret};
pub use provider::{InboundRequest, InboundSecrets, Provider};

/// Maximum size of a body, in bytes. One text is far smaller.
pub const MAX_BODY: usize = 16 * 1024;
