//! Setting up the web authenticator as a user's phone.

mod attacks;
pub(crate) mod passkeys;
pub(crate) mod problems;
mod races;
mod refusals;
mod tests;
pub(crate) mod world;
