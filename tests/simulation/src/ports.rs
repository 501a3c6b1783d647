//! The ports as a process sees them: what is behind them works, the way there may not.

mod queue;
mod receivers;
mod signer;
mod store;

pub use queue::{Handed, Queue, QueueLink};
pub use receivers::{Arrived, Receivers, ReceiversLink};
pub use signer::{Keys, SignerLink, fake_signature};
pub use store::{StoreLink, Watched};
