//! The least that a function can do, without the SDK and without an asynchronous runtime: the floor that
//! the functions are compared with.

mod client;
mod lambda;
mod sign;

pub use client::{Client, Endpoint, post};
pub use lambda::serve;
