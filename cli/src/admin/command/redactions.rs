//! The lines of `redactions list` and `redactions repeat`, one for each confirmation.

use std::fmt;
use std::str::FromStr;

use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use serde::{Deserialize, Serialize};

/// A confirmation whose personal data was erased.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Redaction {
    pub(crate) app: AppId,
    pub(crate) confirmation_id: ConfirmationId,
}

/// The argument of `redactions repeat`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Redactions {
    pub(crate) redactions: Vec<Redaction>,
}

impl fmt::Display for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.app, self.confirmation_id)
    }
}

impl FromStr for Redaction {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let read = |(app, id): (&str, &str)| {
            Some(Self {
                app: app.parse().ok()?,
                confirmation_id: id.parse().ok()?,
            })
        };
        let words = line.trim().split_once(' ');
        words
            .and_then(read)
            .ok_or_else(|| "not the name of an app and the id of a confirmation".to_owned())
    }
}
