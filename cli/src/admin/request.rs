//! Requests of operators and the answers to them.

use countersign_domain::primitives::ids::AppId;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Admin, AdminError};
use crate::print;
use crate::storage::IfMissing;

/// An operator's request: the arguments of a subcommand, and the body of a request to the admin socket.
pub(crate) trait Request: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Identifies the request on the admin socket and in the audit log.
    const NAME: &'static str;
    /// True if the request changes data; such requests are recorded.
    const CHANGES: bool = false;
    const NEEDS: Needs = Needs::Store;
    /// Whether a deployment on AWS answers it.
    const ON_TABLE: bool = !matches!(Self::NEEDS, Needs::Server);
    /// Whether the console offers it.
    const OFFER: Offer = if Self::CHANGES {
        Offer::ToChange
    } else {
        Offer::ToRead
    };
    /// True if the request asks other machines for something. Assistants do not get such requests, which could be a way
    /// out for what they read.
    const REACHES_OUT: bool = false;
    /// True if answering costs money on AWS, so that an answer is kept for a while.
    #[cfg(feature = "aws")]
    const IS_COSTLY: bool = false;
    /// Parts that a stopped server's data may lack.
    const IF_MISSING: IfMissing = IfMissing::Refused;

    type Answer: Answer;

    /// Returns whether the request leaves a setting to the deployment's defaults.
    #[cfg(feature = "aws")]
    fn uses_defaults(&self) -> bool {
        false
    }

    /// Asks for at most this many items.
    fn at_most(self, _: usize) -> Self
    where
        Self: Sized,
    {
        self
    }

    /// Returns the app that the record of it names, if no argument does.
    fn app(&self, admin: &Admin) -> impl Future<Output = Option<AppId>> + Send {
        let _ = admin;
        std::future::ready(None)
    }

    fn execute(
        self,
        admin: &Admin,
    ) -> impl Future<Output = Result<Self::Answer, AdminError>> + Send;
}

/// A request that only reads, with schemas of its JSON and of the answer's: what assistants may ask for.
pub(crate) trait Reading: Request<Answer: JsonSchema> + JsonSchema {
    /// Refuses to compile a tool for an assistant that changes, reveals or sends something.
    const IS_OFFERED: () = assert!(
        matches!(Self::OFFER, Offer::ToRead) && !Self::REACHES_OUT,
        "assistants only read"
    );
}

impl<R: Request<Answer: JsonSchema> + JsonSchema> Reading for R {}

/// The parts of a deployment that a request requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Apps, keys and records only.
    Store,
    /// Also the secrets from which the webhook secrets of apps derive.
    MasterSecret,
    /// The running server.
    Server,
}

/// Whether the console offers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// With `--read-only`, too.
    ToRead,
    /// Unless it is `--read-only`.
    ToChange,
    /// Only commands send it.
    Never,
}

/// The answer to a request.
pub(crate) trait Answer: Serialize + DeserializeOwned + Send + 'static {
    /// Returns the JSON that `--json` prints.
    fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// Returns human-readable text.
    fn text(&self) -> String {
        print::text(self)
    }

    /// Returns the number of documents that the answer omits because they cannot be read.
    fn left_out(&self) -> usize {
        0
    }

    /// Omits all but the first items of a list that has no pages, and returns the number of those omitted.
    fn shorten(&mut self, _: usize) -> usize {
        0
    }

    /// Returns the id of the new key.
    fn new_key(&self) -> Option<&str> {
        None
    }

    /// Returns whether the command exits with success after printing the answer.
    fn is_success(&self) -> bool {
        true
    }
}

/// The empty answer, for requests that only succeed or fail.
impl Answer for () {}

/// An item of a list.
pub(crate) trait Item: Serialize + DeserializeOwned + Send + 'static {
    /// The text for an empty list.
    const EMPTY: &'static str;
    /// The members shown in the table.
    const COLUMNS: &'static [&'static str];
    /// Whether the command fails unless the list is empty.
    const IS_TROUBLE: bool = false;

    fn table(items: &[Self]) -> String {
        print::table(items, Self::COLUMNS)
    }
}

/// A list that omits damaged documents. `--json` prints only the items.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    /// The number of unreadable documents.
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

    fn shorten(&mut self, items: usize) -> usize {
        let omitted = self.items.len().saturating_sub(items);
        self.items.truncate(items);
        omitted
    }

    fn is_success(&self) -> bool {
        !T::IS_TROUBLE || self.items.is_empty()
    }
}
