//! Notices: webhooks that tell an app's server about decided logins.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::delivery::Delivery;

/// The pending webhook for a decision. The login's item holds it from the decision until it is
/// delivered or given up. Then it is removed, because it may hold the phone's payload, which is not
/// needed any longer.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Content of the webhook, once the item's state does not say it any more. Until then, `None`:
    /// the content follows from the item.
    pub body: Option<NoticeBody>,
    /// Delivery of the webhook.
    pub delivery: Delivery,
}

/// The body of a notice in canonical JSON (`docs/webhooks.md`). `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeBody(String);

impl NoticeBody {
    #[must_use]
    pub const fn from_text(text: String) -> Self {
        Self(text)
    }

    /// Returns the text, which is signed byte for byte.
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
