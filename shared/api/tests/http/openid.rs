//! The OpenID provider, as browsers and clients use it.

mod attacks;
mod claims;
mod clients;
mod codes;
mod pages;
mod world;

pub(crate) use pages::meet;
