//! An app's settings for logins by QR code or app link.

use clap::Args;
use clap::builder::BoolishValueParser;
use countersign_domain::app::App;
use countersign_domain::app::login::{
    AndroidApp, IosAppId, LoginSettings, LoginsFrom, PayloadEncryption, WebPhoneKey,
};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use countersign_domain::web::page_url::PageUrl;
use countersign_domain::web::return_url::ReturnUrl;
use serde::{Deserialize, Serialize};

use super::{REMOVING, each_once, given, replace, set};
use crate::admin::AdminError;
use crate::admin::argument::{AndroidIdentity, callback_url};
use crate::print::Tree;

/// Options of `app create` and `app update` for logins.
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[serde(default)]
#[command(next_help_heading = "Logins by QR code or app link")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a separate flag on the command line"
)]
pub(crate) struct LoginOptions {
    /// The host of the app's links, which must lead to this service; phones open such links in the
    /// app. In local mode localhost with the server's port, such as `localhost:8787`
    #[arg(long, value_name = "HOST")]
    pub(crate) link_host: Option<LinkHost>,
    /// Remove the link host; the app can then open no logins
    #[arg(long, conflicts_with = "link_host", help_heading = REMOVING)]
    no_link_host: bool,
    /// A page that may create logins, such as `https://shop.example`; may be repeated; replaces all
    /// present pages
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<WebOrigin>,
    /// A page that may create logins, in addition to all current pages; may be repeated
    #[arg(long = "add-origin", value_name = "ORIGIN", conflicts_with = "origins")]
    added_origins: Vec<WebOrigin>,
    /// Allow no page to create logins
    #[arg(long, conflicts_with = "origins", help_heading = REMOVING)]
    no_origins: bool,
    /// Stop this page from creating logins; may be repeated
    #[arg(
        long = "remove-origin",
        value_name = "ORIGIN",
        conflicts_with_all = ["origins", "no_origins"],
        help_heading = REMOVING
    )]
    removed_origins: Vec<WebOrigin>,
    /// Let logins for these pages be opened by the pages themselves, with the public app key, and by the
    /// app's server (`pages`), or only by the server, with its API key (`server`)
    #[arg(long, value_name = "pages|server")]
    logins_from: Option<LoginsFrom>,
    /// A page to which the app returns if it opened the link on the same phone, such as
    /// `https://shop.example/login`, in addition to the present ones; may be repeated
    #[arg(long = "add-return-page", value_name = "URL")]
    added_return_pages: Vec<ReturnUrl>,
    /// Stop the app from returning to this page; may be repeated
    #[arg(long = "remove-return-page", value_name = "URL", help_heading = REMOVING)]
    removed_return_pages: Vec<ReturnUrl>,
    /// An Android app that opens the links, with its certificate's SHA-256 in colon-separated
    /// hexadecimal pairs; may be repeated, also for more certificates of the same app; replaces all
    /// present Android apps
    #[arg(long, value_name = "PACKAGE=FINGERPRINT")]
    android: Vec<AndroidIdentity>,
    /// Allow no Android app to open the links
    #[arg(long, conflicts_with = "android", help_heading = REMOVING)]
    no_android: bool,
    /// An iOS app that opens the links; may be repeated; replaces all current iOS apps
    #[arg(long, value_name = "TEAM.BUNDLE")]
    ios: Vec<IosAppId>,
    /// Allow no iOS app to open the links
    #[arg(long, conflicts_with = "ios", help_heading = REMOVING)]
    no_ios: bool,
    /// The URL for signed webhooks about confirmations and denials
    #[arg(long, value_name = "URL", value_parser = callback_url)]
    login_callback: Option<CallbackUrl>,
    /// Send no webhooks about confirmations and denials
    #[arg(long, conflicts_with = "login_callback", help_heading = REMOVING)]
    no_login_callback: bool,
    /// Require each browser to have a key, with which payloads are encrypted, or make the key
    /// optional: the service can then read the payloads for browsers without one
    #[arg(long, value_name = "required|optional")]
    payload_encryption: Option<PayloadEncryption>,
    /// Confirm logins only with a proof by an association key that was registered with this service
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    require_proof: Option<bool>,
    /// Require the user to type, in the browser, the two digits that the phone shows
    #[arg(
        long,
        value_name = "on|off",
        value_parser = BoolishValueParser::new(),
        hide_possible_values = true
    )]
    check_code: Option<bool>,
    /// After three denials in ten minutes, refuse logins from that browser's address instead of
    /// warning about them
    #[arg(long, value_name = "true|false", hide_possible_values = true)]
    deny_after_denials: Option<bool>,
    /// Let the page on the link host serve people without the app as their phone. No other app can have the same link
    /// host
    #[arg(
        long,
        value_name = "on|off",
        value_parser = BoolishValueParser::new(),
        hide_possible_values = true
    )]
    web_phone: Option<bool>,
    /// Whether that page needs a passkey, or keeps a key in the browser's storage where the browser has no passkeys
    #[arg(long, value_name = "any|passkey")]
    web_phone_key: Option<WebPhoneKey>,
    /// The app's page where a user sets a phone up, such as `https://shop.example/account/phones`
    #[arg(long, value_name = "URL")]
    phone_setup_url: Option<PageUrl>,
    /// Send nobody to a page to set a phone up
    #[arg(long, conflicts_with = "phone_setup_url", help_heading = REMOVING)]
    no_phone_setup_url: bool,
}

impl LoginOptions {
    /// Sets the given settings and removes those to remove.
    ///
    /// # Errors
    ///
    /// Fails if a page to remove is not listed, or if no listed page could use a given return page.
    pub(super) fn apply(self, app: &mut App) -> Result<(), AdminError> {
        let id = &app.id;
        let unlisted = |page: &str| AdminError::UnlistedPage(id.clone(), page.to_owned());
        let login = &mut app.login;
        set(
            &mut login.link_host,
            self.link_host.map(Some),
            self.no_link_host,
        );
        for origin in &self.removed_origins {
            let at = login.origins.iter().position(|listed| listed == origin);
            login
                .origins
                .remove(at.ok_or_else(|| unlisted(origin.as_str()))?);
        }
        set(&mut login.origins, given(self.origins), self.no_origins);
        login.origins.extend(self.added_origins);
        login.origins = each_once(std::mem::take(&mut login.origins));
        replace(&mut login.logins_from, self.logins_from);
        for page in &self.removed_return_pages {
            let at = login.return_pages.iter().position(|listed| listed == page);
            let at = at.ok_or_else(|| unlisted(&page.to_string()))?;
            login.return_pages.remove(at);
        }
        for page in self.added_return_pages {
            if !login.lists_origin_of(&page) {
                return Err(AdminError::PageWithoutOrigin(page.to_string()));
            }
            login.return_pages.push(page);
        }
        login.return_pages = each_once(std::mem::take(&mut login.return_pages));
        set(
            &mut login.android,
            given(self.android).map(by_package),
            self.no_android,
        );
        set(&mut login.ios, given(self.ios), self.no_ios);
        set(
            &mut login.callback,
            self.login_callback.map(Some),
            self.no_login_callback,
        );
        replace(&mut login.payload_encryption, self.payload_encryption);
        replace(&mut login.require_proof, self.require_proof);
        replace(&mut login.check_code, self.check_code);
        replace(&mut login.risk.denials_forbid, self.deny_after_denials);
        replace(&mut login.web_phone, self.web_phone);
        replace(&mut login.web_phone_key, self.web_phone_key);
        set(
            &mut login.phone_setup_url,
            self.phone_setup_url.map(Some),
            self.no_phone_setup_url,
        );
        Ok(())
    }
}

/// Returns the settings as `--json` prints them.
pub(super) fn describe(login: &LoginSettings) -> Tree {
    let android = login.android.iter().flat_map(|app| {
        app.fingerprints.iter().map(|fingerprint| AndroidIdentity {
            package: app.package.clone(),
            fingerprint: *fingerprint,
        })
    });
    Tree::members([
        ("linkHost", Tree::from_value(&login.link_host)),
        ("origins", Tree::from_value(&login.origins)),
        ("loginsFrom", Tree::from_value(&login.logins_from)),
        ("returnPages", Tree::from_value(&login.return_pages)),
        ("android", Tree::from_value(&android.collect::<Vec<_>>())),
        ("ios", Tree::from_value(&login.ios)),
        ("callback", Tree::from_value(&login.callback)),
        (
            "payloadEncryption",
            Tree::from_value(&login.payload_encryption),
        ),
        ("requireProof", Tree::from_value(&login.require_proof)),
        ("checkCode", Tree::from_value(&login.check_code)),
        (
            "denyAfterDenials",
            Tree::from_value(&login.risk.denials_forbid),
        ),
        ("webPhone", Tree::from_value(&login.web_phone)),
        ("webPhoneKey", Tree::from_value(&login.web_phone_key)),
        ("phoneSetupUrl", Tree::from_value(&login.phone_setup_url)),
    ])
}

/// Groups the certificates by package.
fn by_package(identities: Vec<AndroidIdentity>) -> Vec<AndroidApp> {
    let mut apps: Vec<AndroidApp> = Vec::new();
    for AndroidIdentity {
        package,
        fingerprint,
    } in identities
    {
        match apps.iter_mut().find(|app| app.package == package) {
            Some(app) => app.fingerprints.push(fingerprint),
            None => apps.push(AndroidApp {
                package,
                fingerprints: vec![fingerprint],
            }),
        }
    }
    apps
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_options, options_of};
    use super::*;

    #[test]
    fn each_option_is_applied_and_shown() {
        let android = format!("com.example.shop={}", vec!["0A"; 32].join(":"));
        check_options(
            &options_of::<LoginOptions>(),
            &[
                "--link-host login.shop.example\t--no-link-host",
                "--origin https://a.example\t--no-origins",
                "--add-origin https://a.example --add-return-page https://a.example/x\t\
                 --remove-origin https://a.example --remove-return-page https://a.example/x",
                "--logins-from server\t--logins-from pages",
                &format!("--android {android}\t--no-android"),
                "--ios ABCDE12345.com.example.shop\t--no-ios",
                "--login-callback https://a.example/x\t--no-login-callback",
                "--payload-encryption optional\t--payload-encryption required",
                "--require-proof true\t--require-proof false",
                "--check-code on\t--check-code off",
                "--deny-after-denials true\t--deny-after-denials false",
                "--web-phone on\t--web-phone off",
                "--web-phone-key passkey\t--web-phone-key any",
                "--phone-setup-url https://a.example/x#y\t--no-phone-setup-url",
            ],
        );
    }
}
