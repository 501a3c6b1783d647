//! Kinds of failures of a target, which the console turns into statuses.

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use super::client::ClientError;
use super::sentence::RefusalCode;
use super::socket::Refusal;
use super::{AdminError, refusal_codes};
use crate::failure::Failure;

/// Why a target did not answer.
#[derive(Debug, Error)]
pub(crate) enum AskError {
    /// The request breaks a rule.
    #[error("{failure}")]
    Refused {
        failure: Failure,
        code: Option<RefusalCode>,
    },
    /// Settings differ from those that the operator saw.
    #[error("{failure}")]
    Changed {
        failure: Failure,
        /// The present values.
        now: BTreeMap<String, Value>,
    },
    /// This target never answers such a request.
    #[error("{0}")]
    NotOffered(Failure),
    /// The target cannot be reached, is busy, or failed.
    #[error("{0}")]
    Unavailable(Failure),
}

impl AskError {
    pub(super) fn unavailable(cause: impl Into<Failure>) -> Self {
        Self::Unavailable(cause.into())
    }

    pub(super) fn of_request(error: &AdminError, failure: Failure) -> Self {
        if let Some(now) = error.now().cloned() {
            Self::Changed { failure, now }
        } else if error.is_ours()
            || matches!(
                error,
                AdminError::NotRunning | AdminError::ProviderSettings(_)
            )
        {
            Self::Unavailable(failure)
        } else {
            Self::Refused {
                failure,
                code: refusal_codes::of(error),
            }
        }
    }
}

impl From<ClientError> for AskError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Refused(Refusal {
                message,
                now: Some(now),
                ..
            }) => Self::Changed {
                failure: Failure::new(message),
                now,
            },
            ClientError::Refused(Refusal { message, code, .. }) => Self::Refused {
                failure: Failure::new(message),
                code,
            },
            _ => Self::Unavailable(error.into()),
        }
    }
}
