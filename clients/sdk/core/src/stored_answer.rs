//! The phone's answer to a login, stored before it is first sent.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_domain::app::AppKey;
use countersign_domain::login::ReturnLink;
use countersign_domain::primitives::framing::framed;
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::primitives::time::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::configuration::ServiceUrl;
use crate::decision::Decision;
use crate::error::SdkError;
use crate::ports::answers::AnswerStore;

/// Purpose and version of the names of stored answers.
const LABEL: &[u8] = b"countersign/sdk/answer/1";

/// Time for which an answer is kept after the user's time to decide: a confirmed payload may wait for
/// its browser that long.
const RETENTION: Duration = countersign_domain::login::REDEEM_WINDOW;

/// An answer to a login: the same bytes are sent each time.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StoredAnswer {
    /// Version of this format.
    version: u8,
    /// The user's decision.
    pub(crate) decision: Decision,
    /// The request's body.
    pub(crate) body: String,
    /// True if the body contains a proof.
    pub(crate) proven: bool,
    /// The page to which the user returns once the service has the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) return_url: Option<ReturnLink>,
    /// Time at which the login expires, by the service's clock, in milliseconds since the Unix
    /// epoch.
    expires_at: u64,
}

impl StoredAnswer {
    pub(crate) fn denial(body: String, expires: Timestamp) -> Self {
        Self::new(Decision::Deny, body, expires)
    }

    pub(crate) fn confirmation(
        body: String,
        proven: bool,
        return_url: Option<ReturnLink>,
        expires: Timestamp,
    ) -> Self {
        Self {
            proven,
            return_url,
            ..Self::new(Decision::Confirm, body, expires)
        }
    }

    fn new(decision: Decision, body: String, expires: Timestamp) -> Self {
        Self {
            version: 1,
            decision,
            body,
            proven: false,
            return_url: None,
            expires_at: expires.as_millis(),
        }
    }

    fn read(bytes: &[u8]) -> Result<Self, SdkError> {
        let read = serde_json::from_slice::<Self>(bytes).ok();
        let read = read.filter(|answer| answer.version == 1);
        read.ok_or_else(|| SdkError::StorageFailed {
            detail: "a stored answer is damaged".to_owned(),
        })
    }

    fn write(&self) -> Result<Vec<u8>, SdkError> {
        serde_json::to_vec(self).map_err(|error| SdkError::Internal {
            detail: error.to_string(),
        })
    }

    fn is_over(&self, now: Timestamp) -> bool {
        Timestamp::from_millis(self.expires_at).plus(RETENTION) < now
    }
}

/// The stored answer of one login.
pub(crate) struct Answers<'a> {
    store: &'a dyn AnswerStore,
    name: String,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(
        store: &'a dyn AnswerStore,
        service: &ServiceUrl,
        app: &AppKey,
        id: LoginId,
    ) -> Self {
        let parts = framed(&[
            LABEL,
            service.as_str().as_bytes(),
            app.as_str().as_bytes(),
            id.to_string().as_bytes(),
        ]);
        let name = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(parts));
        Self { store, name }
    }

    /// Returns the answer, if it exists.
    pub(crate) fn load(&self) -> Result<Option<StoredAnswer>, SdkError> {
        let bytes = self.store.load(self.name.clone())?;
        bytes.map(|bytes| StoredAnswer::read(&bytes)).transpose()
    }

    /// Stores an answer unless one exists, and returns the stored one.
    pub(crate) fn keep_first(&self, answer: StoredAnswer) -> Result<StoredAnswer, SdkError> {
        match self.store.save_new(self.name.clone(), answer.write()?)? {
            Some(former) => StoredAnswer::read(&former),
            None => Ok(answer),
        }
    }

    /// Stores an answer, replacing any other one.
    pub(crate) fn replace(&self, answer: &StoredAnswer) -> Result<(), SdkError> {
        Ok(self.store.replace(self.name.clone(), answer.write()?)?)
    }

    /// Removes this answer, if it is the stored one.
    pub(crate) fn forget(&self, answer: &StoredAnswer) -> Result<(), SdkError> {
        if self.load()?.as_ref() == Some(answer) {
            self.store.remove(self.name.clone())?;
        }
        Ok(())
    }

    /// Removes damaged answers, and the answers of all ended logins.
    pub(crate) fn purge(&self, now: Timestamp) -> Result<(), SdkError> {
        for name in self.store.names()? {
            let Some(bytes) = self.store.load(name.clone())? else {
                continue;
            };
            if StoredAnswer::read(&bytes).map_or(true, |answer| answer.is_over(now)) {
                self.store.remove(name)?;
            }
        }
        Ok(())
    }
}
