//! What Countersign is, without the world around it: words as types, states and the transitions
//! between them, the use cases, and the ports through which time, chance and IO come in.
//!
//! Nothing here knows HTTP, AWS or an async runtime. The use cases are `async` over the traits in
//! [`ports`], so whoever hosts them decides what runs them.

pub mod canonical_json;
