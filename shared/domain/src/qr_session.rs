//! A QR session: one login that begins on one device and is decided on another.

pub mod browser_key;
pub mod id;
pub mod link;
pub mod origin;
pub mod payload;
pub mod place;
pub mod sighting;
pub mod token;
pub mod user;
pub mod user_agent;
pub mod watcher;

pub use browser_key::{BrowserKeyHash, BrowserPublicKey};
pub use id::QrSessionId;
pub use link::{LinkHost, SessionLink};
pub use origin::WebOrigin;
pub use payload::Payload;
pub use place::{City, Coordinates, CountryCode, Place};
pub use sighting::{AddressBlock, NetworkClass, Sighting};
pub use token::{BrowserToken, BrowserTokenHash, MobileToken, MobileTokenHash, PayloadFingerprint};
pub use user::{ClaimedUserId, UserKey};
pub use user_agent::UserAgent;
pub use watcher::{MOST_WATCHERS, WatcherId};
