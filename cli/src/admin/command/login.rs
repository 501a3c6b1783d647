//! Options for an app's logins by QR code or app link.

use clap::Args;
use clap::builder::BoolishValueParser;
use countersign_domain::app::login::{IosAppId, PayloadEncryption};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use serde::{Deserialize, Serialize};

use crate::admin::argument::{AndroidIdentity, Argument};

/// The login options of `app create`.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Logins by QR code or app link")]
#[serde(default)]
pub(crate) struct NewLogin {
    /// The host of the app's links, which must lead to this service; phones open such links in the
    /// app
    #[arg(long, value_name = "HOST")]
    pub(crate) link_host: Option<Argument<LinkHost>>,
    /// A page that may open logins, such as `https://shop.example`; may be repeated
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<Argument<WebOrigin>>,
    /// An Android app that opens the links, with its certificate's SHA-256 in colon-separated
    /// hexadecimal pairs; may be repeated, also for more certificates of the same app
    #[arg(long, value_name = "PACKAGE=FINGERPRINT")]
    pub(crate) android: Vec<Argument<AndroidIdentity>>,
    /// An iOS app that opens the links; may be repeated
    #[arg(long, value_name = "TEAM.BUNDLE")]
    pub(crate) ios: Vec<Argument<IosAppId>>,
    /// The URL for signed webhooks about confirmations and denials
    #[arg(long, value_name = "URL")]
    pub(crate) login_callback: Option<Argument<CallbackUrl>>,
    /// Whether browsers must have a key, for which payloads are encrypted; with `optional`, the
    /// service can read the payloads of browsers without one
    #[arg(long, value_name = "required|optional")]
    pub(crate) payload_encryption: Option<Argument<PayloadEncryption>>,
    /// Confirm logins only with a proof by an association key that was registered with this service
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    pub(crate) require_proof: Option<bool>,
    /// Let the person type the two digits that the phone shows at the browser
    #[arg(
        long,
        value_name = "on|off",
        value_parser = BoolishValueParser::new(),
        hide_possible_values = true
    )]
    pub(crate) check_code: Option<bool>,
    /// After three denials in ten minutes, refuse logins from that browser's address instead of
    /// warning about them
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    pub(crate) deny_after_denials: Option<bool>,
}

/// The login options of `app update`; options that are left out change nothing.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Logins by QR code or app link")]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate flag on the command line"
)]
pub(crate) struct LoginChange {
    /// The host of the app's links, which must lead to this service; phones open such links in the
    /// app
    #[arg(long, value_name = "HOST", group = "change")]
    pub(crate) link_host: Option<Argument<LinkHost>>,
    /// Remove the link host; no logins can be opened
    #[arg(long, conflicts_with = "link_host", group = "change")]
    pub(crate) no_link_host: bool,
    /// A page that may open logins, such as `https://shop.example`; may be repeated; replaces all
    /// present pages
    #[arg(long = "origin", value_name = "ORIGIN", group = "change")]
    pub(crate) origins: Vec<Argument<WebOrigin>>,
    /// Let no page open logins
    #[arg(long, conflicts_with = "origins", group = "change")]
    pub(crate) no_origins: bool,
    /// An Android app that opens the links, with its certificate's SHA-256 in colon-separated
    /// hexadecimal pairs; may be repeated, also for more certificates of the same app; replaces all
    /// present Android apps
    #[arg(long, value_name = "PACKAGE=FINGERPRINT", group = "change")]
    pub(crate) android: Vec<Argument<AndroidIdentity>>,
    /// Let no Android app open the links
    #[arg(long, conflicts_with = "android", group = "change")]
    pub(crate) no_android: bool,
    /// An iOS app that opens the links; may be repeated; replaces all present iOS apps
    #[arg(long, value_name = "TEAM.BUNDLE", group = "change")]
    pub(crate) ios: Vec<Argument<IosAppId>>,
    /// Let no iOS app open the links
    #[arg(long, conflicts_with = "ios", group = "change")]
    pub(crate) no_ios: bool,
    /// The URL for signed webhooks about confirmations and denials
    #[arg(long, value_name = "URL", group = "change")]
    pub(crate) login_callback: Option<Argument<CallbackUrl>>,
    /// Send no webhooks about confirmations and denials
    #[arg(long, conflicts_with = "login_callback", group = "change")]
    pub(crate) no_login_callback: bool,
    /// Whether browsers must have a key, for which payloads are encrypted; with `optional`, the
    /// service can read the payloads of browsers without one
    #[arg(long, value_name = "required|optional", group = "change")]
    pub(crate) payload_encryption: Option<Argument<PayloadEncryption>>,
    /// Confirm logins only with a proof by an association key that was registered with this service
    #[arg(
        long,
        value_name = "true|false",
        hide_possible_values = true,
        group = "change"
    )]
    pub(crate) require_proof: Option<bool>,
    /// Let the person type the two digits that the phone shows at the browser; for logins that are
    /// opened from then on
    #[arg(
        long,
        value_name = "on|off",
        value_parser = BoolishValueParser::new(),
        hide_possible_values = true,
        group = "change"
    )]
    pub(crate) check_code: Option<bool>,
    /// After three denials in ten minutes, refuse logins from that browser's address instead of
    /// warning about them
    #[arg(
        long,
        value_name = "true|false",
        hide_possible_values = true,
        group = "change"
    )]
    pub(crate) deny_after_denials: Option<bool>,
}
