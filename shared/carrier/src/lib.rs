//! Lookups of carriers that the SMS provider did not report. A [`CarrierSource`] calls one
//! provider. [`BoundedLookup`] implements the domain's port with it: it bounds the time and the
//! number of calls, and caches answers for a while. See "Carrier lookup" in `docs/providers.md`.

mod answer;
mod bounded;
mod memory;
mod settings;
mod source;
mod twilio;

pub use answer::MAX_ANSWER;
pub use bounded::{BoundedLookup, DEFAULT_MAX_PER_DAY};
pub use memory::{ANSWER_TTL, MAX_REMEMBERED, MAX_UNANSWERED, SILENCE_PAUSE};
pub use settings::{LookupSettings, LookupSettingsError};
pub use source::{CarrierSource, SourceError};
pub use twilio::{TWILIO, TwilioCredentials, TwilioLookup};
