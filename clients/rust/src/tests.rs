//! Tests of the library with a stub of the service, and the vectors shared by all libraries.

mod answers;
mod approval_vectors;
mod forgeries;
mod login_vectors;
mod option_vectors;
mod phone_registrations;
#[cfg(feature = "testing")]
mod phone_vectors;
mod records;
mod stub;
pub(crate) mod vectors;
mod webhook_vectors;
mod world;
