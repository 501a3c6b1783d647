//! What an operator can say about an app's logins by QR code or app link.

use clap::Args;
use countersign_domain::app::login::IosAppId;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use serde::{Deserialize, Serialize};

use crate::admin::argument::{AndroidIdentity, Argument};

/// The logins of a new app.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Logins by QR code or app link")]
#[serde(default)]
pub(crate) struct NewLogin {
    /// The host of the app's links, which leads to this service; its phones open the links in the
    /// app
    #[arg(long, value_name = "HOST")]
    pub(crate) link_host: Option<Argument<LinkHost>>,
    /// A page that may open logins, such as `https://shop.example`; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<Argument<WebOrigin>>,
    /// An Android app that opens the links, with SHA-256 of its certificate in hexadecimal pairs
    /// with colons; may be repeated, also for further certificates of one app
    #[arg(long, value_name = "PACKAGE=FINGERPRINT")]
    pub(crate) android: Vec<Argument<AndroidIdentity>>,
    /// An iOS app that opens the links; may be repeated
    #[arg(long, value_name = "TEAM.BUNDLE")]
    pub(crate) ios: Vec<Argument<IosAppId>>,
    /// Where the app is told of each confirmation and denial, by a signed webhook
    #[arg(long, value_name = "URL")]
    pub(crate) login_callback: Option<Argument<CallbackUrl>>,
    /// Take only payloads that are encrypted for the browser
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    pub(crate) require_encryption: Option<bool>,
    /// After three denials in ten minutes, refuse logins from that browser's address, rather than
    /// warn of them
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    pub(crate) deny_after_denials: Option<bool>,
}

/// What is to change about an app's logins; what is not named stays.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Logins by QR code or app link")]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub(crate) struct LoginChange {
    /// The host of the app's links, which leads to this service; its phones open the links in the
    /// app
    #[arg(long, value_name = "HOST", group = "change")]
    pub(crate) link_host: Option<Argument<LinkHost>>,
    /// No link host, so that no logins can be opened
    #[arg(long, conflicts_with = "link_host", group = "change")]
    pub(crate) no_link_host: bool,
    /// The pages that may open logins, all of them anew, such as `https://shop.example`; may
    /// be repeated
    #[arg(long = "origin", value_name = "ORIGIN", group = "change")]
    pub(crate) origins: Vec<Argument<WebOrigin>>,
    /// No page may open logins
    #[arg(long, conflicts_with = "origins", group = "change")]
    pub(crate) no_origins: bool,
    /// The Android apps that open the links, all of them anew, with SHA-256 of their certificates
    /// in hexadecimal pairs with colons; may be repeated, also for further certificates of one app
    #[arg(long, value_name = "PACKAGE=FINGERPRINT", group = "change")]
    pub(crate) android: Vec<Argument<AndroidIdentity>>,
    /// No Android app opens the links
    #[arg(long, conflicts_with = "android", group = "change")]
    pub(crate) no_android: bool,
    /// The iOS apps that open the links, all of them anew; may be repeated
    #[arg(long, value_name = "TEAM.BUNDLE", group = "change")]
    pub(crate) ios: Vec<Argument<IosAppId>>,
    /// No iOS app opens the links
    #[arg(long, conflicts_with = "ios", group = "change")]
    pub(crate) no_ios: bool,
    /// Where the app is told of each confirmation and denial, by a signed webhook
    #[arg(long, value_name = "URL", group = "change")]
    pub(crate) login_callback: Option<Argument<CallbackUrl>>,
    /// The app is told of no confirmations and denials
    #[arg(long, conflicts_with = "login_callback", group = "change")]
    pub(crate) no_login_callback: bool,
    /// Take only payloads that are encrypted for the browser
    #[arg(
        long,
        value_name = "true|false",
        hide_possible_values = true,
        group = "change"
    )]
    pub(crate) require_encryption: Option<bool>,
    /// After three denials in ten minutes, refuse logins from that browser's address, rather than
    /// warn of them
    #[arg(
        long,
        value_name = "true|false",
        hide_possible_values = true,
        group = "change"
    )]
    pub(crate) deny_after_denials: Option<bool>,
}
