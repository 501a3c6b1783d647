//! Authentication and parsing of texts that arrive through SMS providers.
//!
//! Each provider has a module with a type that implements [`InboundProvider`]: it authenticates a
//! call on its raw bytes, turns it into
//! [`InboundMessage`](countersign_domain::confirmation::text::InboundMessage)s and returns the
//! answer that the provider expects. [`Providers`] contains the enabled ones, by route. Other
//! crates interpret the texts and do all IO: this crate is independent of codes, confirmations,
//! stores and frameworks. Its only external dependency, certificates for [`sns`], is a port:
//! [`CertificateSource`](sns::CertificateSource).
//!
//! A route handles a call in four steps: call [`Providers::read`]; claim
//! [`single_use`](Reading::single_use) if present; handle each [`Inbound`]; answer with the result
//! of [`InboundProvider::answer`].
//!
//! To add a provider, add a module with its [`ProviderSpec`], and a line to [`SPECS`]. [`end_user_messaging`] has no
//! type: its texts arrive through an SNS topic, either as events of a function or over [`sns`].

mod age;
pub mod bandwidth;
mod basic;
mod call;
mod certificate_source;
mod damage;
pub mod end_user_messaging;
mod error;
mod form;
pub mod generic;
pub mod infobip;
mod json;
mod mac;
mod networks;
mod numbers;
mod outcome;
pub mod part;
pub mod plivo;
mod provider;
mod public_url;
mod recent_calls;
mod registry;
mod secret;
mod secret_list;
mod settings;
pub mod sinch;
pub mod sinch_conversation;
pub mod sms_gate;
pub mod sns;
mod spec;
pub mod telnyx;
pub mod twilio;
pub mod vonage_messages;
pub mod vonage_sms;
pub mod whatsapp;

pub use age::TOLERANCE;
pub use basic::{BasicCredentials, MalformedCredentials};
pub use call::{AuthenticCall, Call, SignedCall, SingleUse};
pub use error::{InboundError, MalformedText};
pub use mac::HashAlgorithm;
pub use numbers::sender_within;
pub use outcome::{
    Content, Ignored, Inbound, NetworkCode, Outcome, ProviderResponse, Reading, SubscribeUrl,
};
pub use part::TextPart;
pub use provider::{InboundProvider, Providers, read};
pub use public_url::{MalformedPublicUrl, PublicUrl};
pub use recent_calls::{CallResult, CallSummary, RecentCall, RecentCalls};
pub use registry::SPECS;
pub use secret::{Rotating, SharedSecret, UnusableSecret};
pub use settings::{Settings, SettingsError};
pub use spec::{
    GeneratedSecret, MistakenSecret, OptionKind, OptionSpec, ProviderSpec, SecretSpec, Value,
};

/// Maximum size of a body with one text, in bytes.
pub const MAX_BODY: usize = 16 * 1024;

/// Maximum size of a body with a few texts, in bytes.
pub const MAX_GROUP_BODY: usize = 256 * 1024;

/// Maximum size of a body with [`MAX_EVENTS`], in bytes: a text of maximum length with all its
/// metadata takes less than 1 KiB.
pub const MAX_BATCH_BODY: usize = 2 * 1024 * 1024;

/// Maximum number of events in one call: the largest number that any provider documents (Infobip).
/// Refusing a larger call would lose its texts, since the provider repeats it unchanged.
pub const MAX_EVENTS: usize = 2000;
