//! The webhook that tells an app's server of a decided login.

use std::fmt;

use crate::delivery::Delivery;

/// The webhook owed for a decision. It is in the login's item from the decision on, and leaves it
/// once it is delivered or given up: it may hold the phone's payload, which nobody needs then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The body, stored with the decision because redeeming removes the payload.
    pub body: NoticeBody,
    /// Its attempts.
    pub delivery: Delivery,
}

/// A notice's body: canonical JSON (`docs/webhooks.md`). `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct NoticeBody(String);

impl NoticeBody {
    /// A body read back from a store.
    #[must_use]
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The text, byte for byte what is signed.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for NoticeBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NoticeBody(…)")
    }
}
