//! The ports as a process sees them: the services behind them work, but the links to them may fail.

mod association_keys;
mod carriers;
mod logins;
mod push;
mod queue;
mod receivers;
mod signer;
mod store;

pub use carriers::CarrierLink;
pub use logins::NameLimitLink;
pub use push::{Connections, PushLink};
pub use queue::{Queue, QueueLink, ReceivedMessage};
pub use receivers::{Receivers, ReceiversLink};
pub use signer::SignerLink;
pub use store::{StoreLink, Watched};
