//! Options for an app's logins by QR code or app link.

use clap::Args;
use clap::builder::BoolishValueParser;
use countersign_domain::app::login::{IosAppId, LoginsFrom, PayloadEncryption};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use countersign_domain::web::return_url::ReturnUrl;
use serde::{Deserialize, Serialize};

use crate::admin::argument::{AndroidIdentity, callback_url};

/// Options of `app create` and `app update` for logins.
#[derive(Clone, Debug, PartialEq, Eq, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[command(next_help_heading = "Logins by QR code or app link")]
pub(crate) struct LoginOptions {
    /// The host of the app's links, which must lead to this service; phones open such links in the
    /// app. In local mode localhost with the server's port, such as `localhost:8787`
    #[arg(long, value_name = "HOST")]
    pub(crate) link_host: Option<LinkHost>,
    /// A page that logins are for, such as `https://shop.example`; may be repeated; replaces all
    /// present pages
    #[arg(long = "origin", value_name = "ORIGIN")]
    pub(crate) origins: Vec<WebOrigin>,
    /// A page that logins are for, in addition to all present pages; may be repeated
    #[arg(long = "add-origin", value_name = "ORIGIN", conflicts_with = "origins")]
    #[serde(default)]
    pub(crate) added_origins: Vec<WebOrigin>,
    /// Who may open logins for these pages: the pages themselves, with the public app key, and the
    /// app's server (`pages`), or the server only, with its API key (`server`)
    #[arg(long, value_name = "pages|server")]
    #[serde(default)]
    pub(crate) logins_from: Option<LoginsFrom>,
    /// A page to which the app returns if it opened the link on the same phone, such as
    /// `https://shop.example/login`, in addition to the present ones; may be repeated
    #[arg(long = "add-return-page", value_name = "URL")]
    #[serde(default)]
    pub(crate) added_return_pages: Vec<ReturnUrl>,
    /// An Android app that opens the links, with its certificate's SHA-256 in colon-separated
    /// hexadecimal pairs; may be repeated, also for more certificates of the same app; replaces all
    /// present Android apps
    #[arg(long, value_name = "PACKAGE=FINGERPRINT")]
    pub(crate) android: Vec<AndroidIdentity>,
    /// An iOS app that opens the links; may be repeated; replaces all present iOS apps
    #[arg(long, value_name = "TEAM.BUNDLE")]
    pub(crate) ios: Vec<IosAppId>,
    /// The URL for signed webhooks about confirmations and denials
    #[arg(long, value_name = "URL", value_parser = callback_url)]
    pub(crate) login_callback: Option<CallbackUrl>,
    /// Whether browsers must have a key, for which payloads are encrypted; with `optional`, the
    /// service can read the payloads of browsers without one
    #[arg(long, value_name = "required|optional")]
    pub(crate) payload_encryption: Option<PayloadEncryption>,
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
