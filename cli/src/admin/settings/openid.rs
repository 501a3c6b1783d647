//! An app's settings as a client of the OpenID provider.

use clap::{Args, ValueEnum};
use countersign_domain::app::App;
use countersign_domain::app::openid::{OpenIdSettings, SignInMethod};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::web::redirect_uri::RedirectUri;
use serde::{Deserialize, Serialize};
use serde_with::{DisplayFromStr, serde_as};

use super::{REMOVING, each_once, replace};
use crate::admin::AdminError;
use crate::print::Tree;

/// Options of `app create` and `app update` for the OpenID provider.
#[serde_as]
#[derive(Clone, Debug, Default, Args, Serialize, Deserialize)]
#[group(skip)]
#[serde(default)]
#[command(next_help_heading = "OpenID provider")]
pub(crate) struct OpenIdOptions {
    /// A page that users return to from a login, such as `https://shop.example/callback`, exactly as the client
    /// sends it; may be repeated. The first one turns the provider on for this app
    #[arg(long = "add-redirect-uri", value_name = "URI")]
    added_redirect_uris: Vec<RedirectUri>,
    /// Send nobody to this redirect URI anymore; may be repeated. Without any, the provider refuses the app
    #[arg(long = "remove-redirect-uri", value_name = "URI", help_heading = REMOVING)]
    removed_redirect_uris: Vec<RedirectUri>,
    /// A page that users return to from a logout; may be repeated
    #[arg(long = "add-post-logout-redirect-uri", value_name = "URI")]
    added_post_logout_redirect_uris: Vec<RedirectUri>,
    /// Return users from no logout to this page; may be repeated
    #[arg(long = "remove-post-logout-redirect-uri", value_name = "URI", help_heading = REMOVING)]
    removed_post_logout_redirect_uris: Vec<RedirectUri>,
    /// Whether the app is a server that keeps a secret, or a public client without one, such as an app on a phone,
    /// which must use PKCE
    #[arg(long, value_name = "confidential|public", hide_possible_values = true)]
    openid_client: Option<ClientType>,
    /// Whether each login needs PKCE, or a nonce will do: for clients that know no PKCE
    #[arg(long, value_name = "required|nonce", hide_possible_values = true)]
    openid_pkce: Option<PkceRule>,
    /// The ways to log in, in the order of the page: `text`, `code` (by an app with a registered key), or both
    /// separated by a comma
    #[arg(long, value_name = "METHODS", value_delimiter = ',')]
    openid_methods: Vec<SignInMethod>,
    /// Days without a login after which a number gets a new subject, because it may be another person's; 0: never
    #[arg(long, value_name = "DAYS")]
    #[serde_as(as = "Option<DisplayFromStr>")]
    openid_subject_silence_days: Option<u16>,
}

/// The type of a client (RFC 6749, section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ClientType {
    Confidential,
    Public,
}

/// The value that binds a code to the browser that asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PkceRule {
    Required,
    Nonce,
}

impl OpenIdOptions {
    /// Sets the given settings.
    ///
    /// # Errors
    ///
    /// Fails if a URI to remove is not listed, or a method is given twice.
    pub(super) fn apply(self, app: &mut App) -> Result<(), AdminError> {
        let (id, openid) = (&app.id, &mut app.openid);
        let (added, removed) = (self.added_redirect_uris, self.removed_redirect_uris);
        change(id, &mut openid.redirect_uris, added, &removed)?;
        let added = self.added_post_logout_redirect_uris;
        let removed = self.removed_post_logout_redirect_uris;
        change(id, &mut openid.post_logout_redirect_uris, added, &removed)?;
        let public = self
            .openid_client
            .map(|client| client == ClientType::Public);
        replace(&mut openid.public_client, public);
        let nonce = self.openid_pkce.map(|rule| rule == PkceRule::Nonce);
        replace(&mut openid.nonce_instead_of_pkce, nonce);
        if !self.openid_methods.is_empty() {
            openid.methods = self.openid_methods.try_into()?;
        }
        let days = self.openid_subject_silence_days;
        replace(&mut openid.subject_silence_days, days);
        Ok(())
    }
}

fn change(
    app: &AppId,
    list: &mut Vec<RedirectUri>,
    added: impl IntoIterator<Item = RedirectUri>,
    removed: &[RedirectUri],
) -> Result<(), AdminError> {
    for uri in removed {
        let at = list.iter().position(|listed| listed == uri);
        let unlisted = || AdminError::UnlistedRedirectUri(app.clone(), uri.clone());
        list.remove(at.ok_or_else(unlisted)?);
    }
    list.extend(added);
    *list = each_once(std::mem::take(list));
    Ok(())
}

/// Returns the settings as `--json` prints them.
pub(super) fn describe(openid: &OpenIdSettings) -> Tree {
    let client = if openid.public_client {
        ClientType::Public
    } else {
        ClientType::Confidential
    };
    let pkce = if openid.nonce_instead_of_pkce {
        PkceRule::Nonce
    } else {
        PkceRule::Required
    };
    let pages = &openid.post_logout_redirect_uris;
    let days = openid.subject_silence_days;
    Tree::members([
        ("redirectUris", Tree::from_value(&openid.redirect_uris)),
        ("postLogoutRedirectUris", Tree::from_value(pages)),
        ("client", Tree::from_value(&client)),
        ("pkce", Tree::from_value(&pkce)),
        ("methods", Tree::from_value(&openid.methods)),
        ("subjectSilenceDays", Tree::from_value(&days)),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_options, options_of};
    use super::*;

    #[test]
    fn each_option_is_applied_and_shown() {
        check_options(
            &options_of::<OpenIdOptions>(),
            &[
                "--add-redirect-uri https://a.example/x\t--remove-redirect-uri https://a.example/x",
                "--add-post-logout-redirect-uri https://a.example/x\t\
                 --remove-post-logout-redirect-uri https://a.example/x",
                "--openid-client public\t--openid-client confidential",
                "--openid-pkce nonce\t--openid-pkce required",
                "--openid-methods code,text\t--openid-methods text",
                "--openid-subject-silence-days 0\t--openid-subject-silence-days 90",
            ],
        );
    }
}
