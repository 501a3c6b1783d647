//! Records of what assistants read.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::request::{Offer, Request};
use super::{Admin, AdminError};

/// Records a request that an assistant is about to send for its user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordReading {
    pub(crate) tool: String,
    /// As they were understood: of a number, the last four digits.
    pub(crate) arguments: Map<String, Value>,
}

impl Request for RecordReading {
    const NAME: &'static str = "assistant_read";
    /// It only writes the record.
    const CHANGES: bool = true;
    const OFFER: Offer = Offer::Never;
    type Answer = ();

    async fn execute(self, _: &Admin) -> Result<(), AdminError> {
        Ok(())
    }
}
