//! The Session object's fields, as the specification names them (mobile SDK, section 2).

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
    /// Cause of the risk, for people; present if the status is warn or deny.
    pub risk_flag_string: Option<String>,
    /// Both places.
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
    /// The person should look closely.
    Warn,
    /// The service refuses a confirmation, and then blocks the login. A screen offers no way to
    /// confirm.
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
    /// The city.
    pub city: Option<String>,
    /// The country, two letters (ISO 3166-1).
    pub country_code: Option<String>,
}

/// The texts of the confirmation screen, in the person's language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
#[serde(rename_all = "camelCase")]
pub struct MobileTemplateResponse {
    /// The title.
    pub title: String,
    /// The question.
    pub message: String,
    /// The browser's place.
    pub widget: ScreenPlace,
    /// The phone's place.
    pub mobile: ScreenPlace,
    /// The browser.
    pub user_agent: ScreenBrowser,
    /// Facts that the person should know, the most serious first.
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// The sources that a screen must name where it shows the places, as their licences ask.
    #[serde(default)]
    pub attributions: Vec<Attribution>,
}

/// A source of places.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Attribution {
    /// What to show, the same in every language.
    pub text: String,
    /// Where it leads to.
    pub url: String,
}

/// A place on the screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct ScreenPlace {
    /// The place's name.
    pub location: String,
    /// Why the person should look closely at it.
    pub issue: Option<String>,
}

/// The browser on the screen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct ScreenBrowser {
    /// The names of browser and system.
    pub name: String,
    /// Why the person should look closely at it.
    pub issue: Option<String>,
}

/// A fact about a login.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Record))]
pub struct Flag {
    /// The name for programs, the same in every language. Services may send new ones.
    pub code: String,
    /// Severity of the flag.
    pub severity: Severity,
    /// The sentence for people.
    pub text: String,
}

/// Severity of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(feature = "uniffi", derive(uniffi::Enum))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It changes nothing.
    Info,
    /// It makes the risk at least [`RiskStatus::Warn`].
    Warn,
    /// It makes the risk [`RiskStatus::Deny`].
    Deny,
}
