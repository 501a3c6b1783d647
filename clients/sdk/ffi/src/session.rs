//! A login that this phone has opened.

use countersign_sdk as core;

use crate::error::SdkError;
use crate::records::SessionDetails;

/// A login that this phone has opened, for the person to decide.
#[derive(uniffi::Object)]
pub struct Session(core::Session);

impl Session {
    pub(crate) fn new(session: core::Session) -> Self {
        Self(session)
    }
}

#[uniffi::export]
impl Session {
    /// Returns what the screen shows.
    #[must_use]
    pub fn details(&self) -> SessionDetails {
        (&self.0).into()
    }

    /// Returns how long the person can still decide, in milliseconds; 0 once the login has expired.
    #[must_use]
    pub fn time_left_millis(&self) -> i64 {
        i64::try_from(self.0.time_left().as_millis()).unwrap_or(i64::MAX)
    }

    /// Confirms the login, and returns whether the confirmation had a proof.
    ///
    /// # Errors
    ///
    /// Those of the core.
    pub async fn confirm(&self, payload: String) -> Result<bool, SdkError> {
        Ok(self.0.confirm(&payload).await?.proven)
    }

    /// Denies the login.
    ///
    /// # Errors
    ///
    /// Those of the core.
    pub async fn deny(&self, payload: String) -> Result<(), SdkError> {
        Ok(self.0.deny(&payload).await?)
    }
}
