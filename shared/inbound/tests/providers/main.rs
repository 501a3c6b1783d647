//! Every provider, with calls that are signed as the provider does.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod batches;
mod bits;
mod cases;
mod damaged;
mod everywhere;
mod hidden;
mod odd;
mod plivo;
mod proxies;
mod seal;
mod sms_gate;
mod sns;
mod telnyx;
mod twilio;
mod vonage;
mod vonage_keys;
mod whatsapp;
