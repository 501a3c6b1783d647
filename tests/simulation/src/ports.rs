//! The ports as a process sees them: the services behind them work, but the links to them may fail.

mod carriers;
mod items;
mod names;
mod push;
mod queue;
mod receivers;
mod signer;

pub use carriers::CarrierLink;
pub use items::{ItemsLink, Watched};
pub use names::NameLimitLink;
pub use push::{Connections, PushLink};
pub use queue::{Queue, QueueLink, ReceivedMessage};
pub use receivers::{Receivers, ReceiversLink};
pub use signer::SignerLink;
