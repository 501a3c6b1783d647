//! What the screen shows, under the specification's names.

use countersign_sdk as core;

/// A login's details.
#[derive(uniffi::Record)]
pub struct SessionDetails {
    /// The session id.
    pub id: String,
    /// The phone's address, as the service saw it.
    pub ip_address_mobile: Option<String>,
    /// The browser's address, as the service saw it.
    pub ip_address_widget: Option<String>,
    /// The risk, if the service judged it.
    pub risk_analytics: Option<RiskAnalytics>,
    /// The texts of the confirmation screen.
    pub mobile_template_response: MobileTemplateResponse,
    /// The app's name at the service.
    pub app_name: String,
    /// The origin of the page that the person logs in to.
    pub origin: String,
    /// The text that the person approves.
    pub context: Option<String>,
    /// The two digits that the person types at the browser after confirming.
    pub check_code: Option<String>,
    /// Whether only the browser can read the payload of a confirmation.
    pub is_encrypted: bool,
    /// Until when the person can decide, by the service's clock, in milliseconds since 1970.
    pub expires_at_millis: i64,
}

/// The risk of a login.
#[derive(uniffi::Record)]
pub struct RiskAnalytics {
    /// The status.
    pub risk_status: RiskStatus,
    /// What triggers the risk, for people.
    pub risk_flag_string: Option<String>,
    /// Both places.
    pub geo_data: GeoData,
}

/// How risky a login looks.
#[derive(uniffi::Enum)]
pub enum RiskStatus {
    /// Nothing stands out.
    Clear,
    /// The person should look closely.
    Warn,
    /// The service refuses a confirmation.
    Deny,
}

/// The places of phone and browser.
#[derive(uniffi::Record)]
pub struct GeoData {
    /// The phone's place.
    pub mobile: Place,
    /// The browser's place.
    pub browser: Place,
}

/// A place, as far as it is known.
#[derive(uniffi::Record)]
pub struct Place {
    /// The city.
    pub city: Option<String>,
    /// The country, two letters (ISO 3166-1).
    pub country_code: Option<String>,
}

/// The texts of the confirmation screen.
#[derive(uniffi::Record)]
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
    pub flags: Vec<Flag>,
}

/// A place on the screen.
#[derive(uniffi::Record)]
pub struct ScreenPlace {
    /// The place's name.
    pub location: String,
    /// Why the person should look closely at it.
    pub issue: Option<String>,
}

/// The browser on the screen.
#[derive(uniffi::Record)]
pub struct ScreenBrowser {
    /// The names of browser and system.
    pub name: String,
    /// Why the person should look closely at it.
    pub issue: Option<String>,
}

/// A fact about a login.
#[derive(uniffi::Record)]
pub struct Flag {
    /// The name for programs.
    pub code: String,
    /// How serious it is.
    pub severity: Severity,
    /// The sentence for people.
    pub text: String,
}

/// How serious a flag is.
#[derive(uniffi::Enum)]
pub enum Severity {
    /// It changes nothing.
    Info,
    /// The person should look closely.
    Warn,
    /// The service refuses a confirmation.
    Deny,
}

impl From<&core::Session> for SessionDetails {
    fn from(session: &core::Session) -> Self {
        Self {
            id: session.id(),
            ip_address_mobile: session.ip_address_mobile().map(str::to_owned),
            ip_address_widget: session.ip_address_widget().map(str::to_owned),
            risk_analytics: session.risk_analytics().cloned().map(Into::into),
            mobile_template_response: session.mobile_template_response().clone().into(),
            app_name: session.app_name().to_owned(),
            origin: session.origin().to_owned(),
            context: session.context().map(str::to_owned),
            check_code: session.check_code().map(str::to_owned),
            is_encrypted: session.is_encrypted(),
            expires_at_millis: session.expires_at().as_millis().cast_signed(),
        }
    }
}

impl From<core::RiskAnalytics> for RiskAnalytics {
    fn from(risk: core::RiskAnalytics) -> Self {
        let core::GeoData { mobile, browser } = risk.geo_data;
        Self {
            risk_status: match risk.risk_status {
                core::RiskStatus::Clear => RiskStatus::Clear,
                core::RiskStatus::Warn => RiskStatus::Warn,
                core::RiskStatus::Deny => RiskStatus::Deny,
            },
            risk_flag_string: risk.risk_flag_string,
            geo_data: GeoData {
                mobile: mobile.into(),
                browser: browser.into(),
            },
        }
    }
}

impl From<core::Place> for Place {
    fn from(core::Place { city, country_code }: core::Place) -> Self {
        Self { city, country_code }
    }
}

impl From<core::MobileTemplateResponse> for MobileTemplateResponse {
    fn from(screen: core::MobileTemplateResponse) -> Self {
        let core::ScreenBrowser { name, issue } = screen.user_agent;
        Self {
            title: screen.title,
            message: screen.message,
            widget: screen.widget.into(),
            mobile: screen.mobile.into(),
            user_agent: ScreenBrowser { name, issue },
            flags: screen.flags.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<core::ScreenPlace> for ScreenPlace {
    fn from(core::ScreenPlace { location, issue }: core::ScreenPlace) -> Self {
        Self { location, issue }
    }
}

impl From<core::Flag> for Flag {
    fn from(
        core::Flag {
            code,
            severity,
            text,
        }: core::Flag,
    ) -> Self {
        let severity = match severity {
            core::Severity::Info => Severity::Info,
            core::Severity::Warn => Severity::Warn,
            core::Severity::Deny => Severity::Deny,
        };
        Self {
            code,
            severity,
            text,
        }
    }
}
