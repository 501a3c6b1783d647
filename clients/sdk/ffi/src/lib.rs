//! The core of the mobile SDK for Kotlin and Swift, over `UniFFI`.
//!
//! The crate holds no logic: it repeats the core's types for `UniFFI`, and converts. Applications use
//! the packages above it, such as `svc-core`.

mod client;
mod configuration;
mod error;
mod files;
mod platform;
mod records;
mod session;

pub use client::Client;
pub use configuration::{Configuration, ConfigurationError};
pub use error::{InvalidLinkReason, SdkError, ServiceProblem};
pub use files::{file_answers, file_association_keys, file_secrets};
pub use platform::{
    AnswerStore, AssociationKeys, Header, Http, KeyError, NetworkError, Request, Response,
    SecretStore, StoreError, Timer,
};
pub use records::{
    Flag, GeoData, MobileTemplateResponse, Place, RiskAnalytics, RiskStatus, ScreenBrowser,
    ScreenPlace, SessionDetails, Severity,
};
pub use session::Session;

uniffi::setup_scaffolding!();
