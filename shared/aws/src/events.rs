//! The events that Lambda hands to functions.
//!
//! Source for each: the Lambda and API Gateway Developer Guides. No event may make a function
//! panic: a panic aborts the process, and much of an event is what a stranger sent.

pub mod http;
pub mod sns;
pub mod socket;
pub mod sqs;
