//! The outcome of repeated redactions.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::admin::command::Redaction;

/// The outcome of repeated redactions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepeatedView {
    /// The number of confirmations without personal data now.
    pub(crate) redacted: usize,
    /// The number of confirmations that the store does not have.
    pub(crate) unknown: usize,
    /// Confirmations that are open, or have a pending webhook, which needs the data.
    pub(crate) to_repeat_later: Vec<Redaction>,
}

impl fmt::Display for RepeatedView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} redacted, {} not there", self.redacted, self.unknown)?;
        if self.to_repeat_later.is_empty() {
            return Ok(());
        }
        f.write_str("\nThese are still open or have a webhook to send. Repeat them in a day:")?;
        self.to_repeat_later
            .iter()
            .try_for_each(|redaction| write!(f, "\n{redaction}"))
    }
}
