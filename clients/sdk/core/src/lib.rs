//! The core of the mobile SDK: opening logins on a phone, and deciding them.
//!
//! The core does not depend on a platform. HTTP, timers, secrets, stored answers and private keys
//! are traits ([`Platform`]), which Android, iOS, the JVM and the command line each implement. It
//! does not need a runtime, either: every future can be polled by any executor, and dropped at any
//! time. A dropped operation can be started again, even by another process, and continues the same
//! login.
//!
//! ```
//! use countersign_sdk::{Client, SdkError};
//!
//! /// Opens the login of a scanned link, shows it, and sends the person's decision.
//! async fn log_in(client: &Client, link: &str, app_key: &str) -> Result<(), SdkError> {
//!     let session_id = client.session_id(link)?;
//!     let session = client.initialize_qr_session(app_key, &session_id, None).await?;
//!     // Show `session.mobile_template_response()`, and ask.
//!     println!("{}", session.mobile_template_response().title);
//!     session.confirm("a token for the page").await?;
//!     Ok(())
//! }
//! ```
#![warn(missing_docs)]

mod client;
mod configuration;
mod decision;
mod details;
mod error;
#[cfg(feature = "files")]
pub mod files;
#[cfg(feature = "uniffi")]
pub mod foreign;
mod key_ring;
pub mod memory;
mod opened;
mod phone;
mod ports;
mod secret;
mod session;
mod stored_answer;
mod wire;

pub use client::Client;
pub use configuration::{
    Configuration, ConfigurationError, MAX_LANGUAGES, RetryPolicy, ServiceUrl,
};
pub use countersign_domain::login::ReturnLink;
pub use countersign_domain::login::identity::IdentityError;
pub use countersign_domain::login::link::LinkError;
pub use countersign_domain::primitives::entropy::Entropy;
pub use countersign_domain::primitives::time::Timestamp;
pub use decision::Decision;
pub use details::{
    Attribution, Flag, GeoData, MobileTemplateResponse, Place, RiskAnalytics, RiskStatus,
    ScreenBrowser, ScreenPlace, Severity,
};
pub use error::{AnswerFault, InvalidLinkReason, SdkError, ServiceProblem};
pub use key_ring::{ANON, KeyRing};
pub use ports::answers::AnswerStore;
pub use ports::http::{Header, Http, MAX_ANSWER_BYTES, NetworkError, Request, Response};
pub use ports::keys::{AssociationKeys, KeyError};
pub use ports::secrets::SecretStore;
pub use ports::timer::Timer;
pub use ports::{Platform, StoreError};
pub use session::{Confirmed, Session};

#[cfg(feature = "uniffi")]
uniffi::setup_scaffolding!();

/// Compiles the quick start of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
