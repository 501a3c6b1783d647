//! What became of redactions that were repeated.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::admin::command::Redaction;

/// What became of redactions that were repeated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RepeatedView {
    /// The number of confirmations without personal data now.
    pub(crate) redacted: usize,
    /// The number of those that the store does not have.
    pub(crate) unknown: usize,
    /// Those that are open, or owe a webhook, which needs the data.
    pub(crate) to_repeat_later: Vec<Redaction>,
}

impl fmt::Display for RepeatedView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} redacted, {} not there", self.redacted, self.unknown)?;
        if self.to_repeat_later.is_empty() {
            return Ok(());
        }
        f.write_str("\nThese are open or owe a webhook; repeat them in a day, and with `redeliver` or a receiver that works before:")?;
        self.to_repeat_later
            .iter()
            .try_for_each(|redaction| write!(f, "\n{redaction}"))
    }
}
