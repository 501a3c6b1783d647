//! Those outside: callers who start sessions and end, erase and redeliver them; persons who text;
//! providers who bring the texts.

mod caller;
mod operator;
mod person;

pub use caller::call;
pub use operator::redeliver_what_failed;

use std::sync::Arc;

use crate::ground::Ground;
use crate::hosts::Api;
use crate::ports::Receivers;

/// What people can reach.
#[derive(Clone)]
pub struct Town {
    /// What everybody stands on.
    pub ground: Ground,
    /// Us.
    pub api: Api,
    /// Callers' servers.
    pub receivers: Arc<Receivers>,
}
