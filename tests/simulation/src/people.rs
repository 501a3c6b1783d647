//! Everyone outside our processes: callers who start, cancel, redact and redeliver confirmations; users
//! who text; providers that forward the texts; browsers that log in; phones that decide; strangers; and an
//! app's server that registers its users' keys.

mod browser;
mod caller;
mod keyring;
mod login;
mod operator;
mod person;
mod phone;
mod proof;
mod registrar;
mod request;
mod stranger;

pub use caller::call;
pub use login::log_in;
pub use operator::redeliver_what_failed;
pub use person::LANDLINE;
pub use proof::EARLIER_LOGIN;

use std::sync::Arc;

use crate::env::Env;
use crate::hosts::Api;
use crate::ports::Receivers;

/// The services that people can reach.
#[derive(Clone)]
pub struct World {
    /// The shared parts of the run.
    pub env: Env,
    /// Our API.
    pub api: Api,
    /// The callers' servers.
    pub receivers: Arc<Receivers>,
}
