//! A login that this phone has opened.

use countersign_domain::login::ReturnLink;

use crate::details::{MobileTemplateResponse, RiskAnalytics};
use crate::error::SdkError;
use crate::session;

/// A login that this phone has opened, for the user to decide.
#[derive(uniffi::Object)]
pub struct Session(session::Session);

impl Session {
    pub(crate) fn new(session: session::Session) -> Self {
        Self(session)
    }
}

#[uniffi::export]
impl Session {
    /// Returns the details that the screen shows.
    #[must_use]
    pub fn details(&self) -> SessionDetails {
        let session = &self.0;
        SessionDetails {
            id: session.id(),
            ip_address_mobile: session.ip_address_mobile().map(str::to_owned),
            ip_address_widget: session.ip_address_widget().map(str::to_owned),
            risk_analytics: session.risk_analytics().cloned(),
            mobile_template_response: session.mobile_template_response().clone(),
            app_name: session.app_name().to_owned(),
            origin: session.origin().to_owned(),
            context: session.context().map(str::to_owned),
            check_code: session.check_code().map(str::to_owned),
            return_url: session.return_url().cloned(),
            denial_payload: session.denial_payload().to_owned(),
            is_encrypted: session.is_encrypted(),
            expires_at_millis: session.expires_at().as_millis().cast_signed(),
        }
    }

    /// Returns the time that the user has left to decide, in milliseconds; 0 once the login has
    /// expired.
    #[must_use]
    pub fn time_left_millis(&self) -> i64 {
        i64::try_from(self.0.time_left().as_millis()).unwrap_or(i64::MAX)
    }

    /// Confirms the login, and returns whether the confirmation included a proof.
    ///
    /// # Errors
    ///
    /// The errors of the core.
    pub async fn confirm(&self, payload: String) -> Result<bool, SdkError> {
        Ok(self.0.confirm(&payload).await?.proven)
    }

    /// Denies the login.
    ///
    /// # Errors
    ///
    /// The errors of the core.
    pub async fn deny(&self, payload: String) -> Result<(), SdkError> {
        self.0.deny(&payload).await
    }
}

/// Details for the screen.
#[derive(uniffi::Record)]
pub struct SessionDetails {
    /// The session id.
    pub id: String,
    /// The phone's address, as seen by the service.
    pub ip_address_mobile: Option<String>,
    /// The browser's address, as seen by the service.
    pub ip_address_widget: Option<String>,
    /// The risk, if the service assessed it.
    pub risk_analytics: Option<RiskAnalytics>,
    /// The texts of the confirmation screen.
    pub mobile_template_response: MobileTemplateResponse,
    /// The app's name at the service.
    pub app_name: String,
    /// The origin of the page that the user logs in to.
    pub origin: String,
    /// The text that the user approves.
    pub context: Option<String>,
    /// The two digits that the user types in the browser after confirming.
    pub check_code: Option<String>,
    /// The page to open in the phone's browser once the user has confirmed.
    pub return_url: Option<ReturnLink>,
    /// The payload that a default screen sends with a denial.
    pub denial_payload: String,
    /// True if only the browser can read the payload of a confirmation.
    pub is_encrypted: bool,
    /// Time until which the user can decide, by the service's clock, in milliseconds since 1970.
    pub expires_at_millis: i64,
}
