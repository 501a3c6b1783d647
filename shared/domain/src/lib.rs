//! The domain: types, states and the transitions between them, the use cases, and the ports through
//! which time, randomness and IO come in.
//!
//! The modules are layered. Each one uses those before it in this list, never those after it:
//! [`primitives`], [`web`], [`app`], [`delivery`], [`confirmation`], [`login`], [`event`],
//! [`use_cases`]. Nothing here knows HTTP, AWS or an async runtime: the use cases are `async` over
//! the ports' traits, and the host decides what runs them.

pub mod app;
pub mod confirmation;
pub mod delivery;
pub mod event;
pub mod login;
pub mod primitives;
pub mod use_cases;
pub mod web;
