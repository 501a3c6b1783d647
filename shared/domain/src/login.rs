//! Logins: each one starts on one device and is decided on another.

pub mod analytics;
pub mod browser_key;
pub mod history;
pub mod link;
pub mod notice;
mod owes;
pub mod payload;
pub mod push;
pub mod risk;
pub mod screen;
pub mod sighting;
mod state;
pub mod store;
pub mod texts;
pub mod token;
pub mod transitions;
pub mod user;
pub mod watcher;

pub use browser_key::{BrowserKeyHash, BrowserPublicKey};
pub use link::LoginLink;
pub use notice::{Notice, NoticeBody};
pub use payload::Payload;
pub use state::{
    BlockReason, Encryption, KEPT, Login, Phone, REDEEMABLE, SCANNED, State, Status, UNSCANNED,
};
pub use token::{BrowserToken, BrowserTokenHash, MobileToken, MobileTokenHash, PayloadFingerprint};
pub use user::{ClaimedUserId, UserKey};
pub use watcher::{MAX_WATCHERS, WatcherId};
