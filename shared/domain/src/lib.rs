//! The domain of Countersign: types, states and transitions, the use cases, and the ports that
//! provide time, randomness and IO.
//!
//! The modules are layered. Each one uses only those before it in this list: [`primitives`], [`web`],
//! [`app`], [`delivery`], [`confirmation`], [`login`], [`openid`], [`hourly`], [`store`], [`event`], [`use_cases`]. Nothing here
//! depends on HTTP, AWS or an async runtime: the use cases are `async` functions over the ports' traits, and
//! the host chooses the runtime.

pub mod app;
pub mod confirmation;
pub mod delivery;
pub mod event;
pub mod hourly;
pub mod login;
pub mod openid;
pub mod primitives;
pub mod store;
pub mod use_cases;
pub mod web;
