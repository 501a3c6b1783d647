//! Notices: webhooks that tell an app's server about decided logins.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::delivery::Delivery;

/// The pending webhook for a decision. The login's item contains the notice from the decision until
/// the webhook is delivered or its retries end. Then the notice is removed, because it may contain
/// the phone's payload, which is no longer needed.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Content of the webhook, stored once it can no longer be derived from the item's state.
    /// `None` until then.
    pub body: Option<NoticeBody>,
    /// Delivery of the webhook.
    pub delivery: Delivery,
}

/// The body of a notice in canonical JSON (`docs/webhooks.md`). `Debug` hides the body.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeBody(String);

impl NoticeBody {
    #[must_use]
    pub const fn from_text(text: String) -> Self {
        Self(text)
    }

    /// Returns the text, exactly as it is signed.
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
