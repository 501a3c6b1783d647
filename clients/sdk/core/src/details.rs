//! The Session object's fields, with the specification's names (mobile SDK, section 2).

use serde::Deserialize;

/// The Session object as the service sends it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Details {
    #[serde(rename = "iPAddressMobile")]
    pub(crate) ip_address_mobile: Option<String>,
    #[serde(rename = "iPAddressWidget")]
    pub(crate) ip_address_widget: Option<String>,
    pub(crate) risk_analytics: Option<RiskAnalytics>,
    pub(crate) mobile_template_response: MobileTemplateResponse,
}

/// The risk of a login.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
#[serde(rename_all = "camelCase")]
pub struct RiskAnalytics {
    /// The status.
    pub risk_status: RiskStatus,
    /// Cause of the risk, for users; present if the status is warn or deny.
    pub risk_flag_string: Option<String>,
    /// The places of phone and browser.
    #[serde(default)]
    pub geo_data: GeoData,
}

/// Risk of a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, strum::IntoStaticStr)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Enum))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
pub enum RiskStatus {
    /// Nothing stands out.
    Clear,
    /// The user should look closely.
    Warn,
    /// The service refuses a confirmation, and blocks the login if one is sent. Screens must not
    /// offer confirming.
    Deny,
}

impl RiskStatus {
    /// Returns the status as the service writes it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The places of phone and browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct GeoData {
    /// The phone's place.
    #[serde(default)]
    pub mobile: Place,
    /// The browser's place.
    #[serde(default)]
    pub browser: Place,
}

/// A place, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Place {
    /// The city's name.
    pub city: Option<String>,
    /// The country code, two letters (ISO 3166-1).
    pub country_code: Option<String>,
}

/// The texts of the confirmation screen, in the user's language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
#[serde(rename_all = "camelCase")]
pub struct MobileTemplateResponse {
    /// The screen's title.
    pub title: String,
    /// The question to the user.
    pub message: String,
    /// The browser's place.
    pub widget: ScreenPlace,
    /// The phone's place.
    pub mobile: ScreenPlace,
    /// The browser's description.
    pub user_agent: ScreenBrowser,
    /// Facts that the user should know, the most serious first.
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// The sources that a screen must credit where it shows the places, as their licenses require.
    #[serde(default)]
    pub attributions: Vec<Attribution>,
}

/// A source of places to be credited.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Attribution {
    /// The text to show, the same in every language.
    pub text: String,
    /// The link's URL.
    pub url: String,
}

/// A place as shown on the screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct ScreenPlace {
    /// The place's name.
    pub location: String,
    /// Why the user should look closely at it.
    pub issue: Option<String>,
}

/// The browser as shown on the screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct ScreenBrowser {
    /// The names of the browser and its operating system.
    pub name: String,
    /// Why the user should look closely at it.
    pub issue: Option<String>,
}

/// A fact about a login.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Flag {
    /// The flag's identifier, the same in every language. Services may send new codes.
    pub code: String,
    /// Severity of the flag.
    pub severity: Severity,
    /// The sentence for users.
    pub text: String,
}

/// Severity of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Enum))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The flag does not affect the risk.
    Info,
    /// The flag makes the risk at least [`RiskStatus::Warn`].
    Warn,
    /// The flag makes the risk [`RiskStatus::Deny`].
    Deny,
}
