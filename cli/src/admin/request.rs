//! Requests of operators and the answers to them.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Admin, AdminError};
use crate::print;
use crate::storage::Lost;

/// A request of an operator: the arguments of a subcommand, and the body of a call of the admin socket.
pub(crate) trait Request: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The name by which the admin socket and the audit log know it.
    const NAME: &'static str;
    /// True if it changes something, which is recorded.
    const CHANGES: bool = false;
    const NEEDS: Needs = Needs::Store;
    /// Parts that a stopped server's data may lack.
    const LOST: Lost = Lost::Refused;

    type Answer: Answer;

    /// Returns whether it leaves a setting to the defaults of the deployment.
    #[cfg(feature = "aws")]
    fn uses_defaults(&self) -> bool {
        false
    }

    fn execute(
        self,
        admin: &Admin,
    ) -> impl Future<Output = Result<Self::Answer, AdminError>> + Send;
}

/// The parts of a deployment without which a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Apps, keys and records only.
    Store,
    /// Also the secrets from which the webhook secrets of apps derive.
    MasterSecret,
    /// The running server.
    Server,
}

/// The answer to a request.
pub(crate) trait Answer: Serialize + DeserializeOwned + Send + 'static {
    /// Returns the JSON that `--json` prints.
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// Returns the text for people.
    fn text(&self) -> String {
        print::text(self)
    }

    /// Returns how many documents it lacks because they cannot be read.
    fn left_out(&self) -> usize {
        0
    }

    /// Returns the id of the key that was made.
    fn new_key(&self) -> Option<&str> {
        None
    }

    /// Returns whether the command that prints it succeeds.
    fn is_success(&self) -> bool {
        true
    }
}

/// The answer to a request of which only success matters.
impl Answer for () {}

/// An item of a list.
pub(crate) trait Item: Serialize + DeserializeOwned + Send + 'static {
    /// The text for an empty list.
    const EMPTY: &'static str;
    /// The members that people see.
    const COLUMNS: &'static [&'static str];

    fn table(items: &[Self]) -> String {
        print::table(items, Self::COLUMNS)
    }
}

/// A list, from which damaged documents are missing. `--json` prints only the items.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    /// The number of unreadable ones.
    pub(crate) left_out: usize,
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, left_out: 0 }
    }
}

impl<T: Item> Answer for List<T> {
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(&self.items)
    }

    fn text(&self) -> String {
        if self.items.is_empty() {
            T::EMPTY.to_owned()
        } else {
            T::table(&self.items)
        }
    }

    fn left_out(&self) -> usize {
        self.left_out
    }
}
