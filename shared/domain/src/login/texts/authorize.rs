//! The texts of the `OpenID` provider's pages.

use serde::Deserialize;

use super::{Texts, fill};

/// The texts of the page at which people log in for a site, and of the pages of refused requests. `{app}`, `{site}`,
/// `{number}` and `{name}` are placeholders, which [`Texts::authorize_text`] replaces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuthorizeTexts {
    pub title: String,
    /// Says that the site learns the number.
    pub learns_number: String,
    /// Says that the site recognizes the number, but does not learn it.
    pub learns_sameness: String,
    /// Says that the site learns the app's id of the user.
    pub learns_user: String,
    /// Says which phone has to send the text.
    pub number: String,
    /// Warns about links from others.
    pub not_yours: String,
    /// Names the choice between the methods.
    pub choose: String,
    pub by_text: String,
    pub by_code: String,
    pub cancel: String,
    /// While the browser goes back to the site.
    pub leaving: String,
    /// The link to the site, if the browser does not go back by itself.
    pub go_on: String,
    /// Title after five minutes.
    pub expired: String,
    pub expired_about: String,
    /// Title if the login has already been finished or cancelled.
    pub over: String,
    pub over_about: String,
    /// Title if the browser does not send the page's cookie.
    pub unknown: String,
    pub unknown_about: String,
    /// Title if the service does not answer.
    pub failed: String,
    pub failed_about: String,
    /// The key of the phone is not registered.
    pub phone_unknown: String,
    /// Starts again.
    pub again: String,
    /// Repeats the last request.
    pub retry: String,
    pub no_script: String,
    pub refusal: RefusalTexts,
    /// Title after a logout without a page to return to.
    pub logged_out: String,
    pub logged_out_about: String,
}

/// The texts of the page of a refused request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusalTexts {
    pub title: String,
    pub about: String,
    /// Title of the part for the developers of the site.
    pub developers: String,
    pub unknown_client: String,
    pub redirect_uri_missing: String,
    /// Before the command that lists the URI.
    pub redirect_uri_not_listed: String,
    /// Before the command that lists the URI.
    pub logout_uri_not_listed: String,
    /// Names a repeated parameter.
    pub repeated: String,
    pub malformed: String,
}

/// The names that the texts contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuthorizeNames<'a> {
    /// The name of the app.
    pub app: &'a str,
    /// The site that the browser goes back to: a host, or the scheme of an app's own links.
    pub site: &'a str,
    /// The number that has to send the text, partly hidden.
    pub number: &'a str,
    /// The name of a parameter.
    pub parameter: &'a str,
}

impl Texts {
    /// Returns the texts of the `OpenID` provider's pages.
    #[must_use]
    pub const fn authorize(&self) -> &AuthorizeTexts {
        &self.authorize
    }

    /// Returns one of these texts with its names.
    #[must_use]
    pub fn authorize_text(&self, text: &str, names: &AuthorizeNames<'_>) -> String {
        let AuthorizeNames {
            app,
            site,
            number,
            parameter,
        } = names;
        fill(
            text,
            &[
                ("app", &self.name(app)),
                ("site", &self.host(site)),
                ("number", &self.host(number)),
                ("name", &self.host(parameter)),
            ],
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use strum::VariantArray as _;

    use super::*;
    use crate::login::texts::Language;

    const SITE: &str = "shop.example:8443";

    /// Returns the texts of the `OpenID` provider's pages with their names.
    pub(in crate::login::texts) fn named(texts: &Texts) -> Vec<(String, String)> {
        let names = AuthorizeNames {
            app: "Testshop",
            site: SITE,
            number: "+49 ••• 67",
            parameter: "state",
        };
        let page = texts.authorize();
        let refusal = &page.refusal;
        let all = [
            ("title", &page.title),
            ("learns number", &page.learns_number),
            ("learns sameness", &page.learns_sameness),
            ("learns user", &page.learns_user),
            ("number", &page.number),
            ("not yours", &page.not_yours),
            ("choose", &page.choose),
            ("by text", &page.by_text),
            ("by code", &page.by_code),
            ("cancel", &page.cancel),
            ("leaving", &page.leaving),
            ("go on", &page.go_on),
            ("expired", &page.expired),
            ("expired about", &page.expired_about),
            ("over", &page.over),
            ("over about", &page.over_about),
            ("unknown", &page.unknown),
            ("unknown about", &page.unknown_about),
            ("failed", &page.failed),
            ("failed about", &page.failed_about),
            ("phone unknown", &page.phone_unknown),
            ("again", &page.again),
            ("retry", &page.retry),
            ("no script", &page.no_script),
            ("refusal title", &refusal.title),
            ("refusal about", &refusal.about),
            ("developers", &refusal.developers),
            ("unknown client", &refusal.unknown_client),
            ("redirect URI missing", &refusal.redirect_uri_missing),
            ("redirect URI not listed", &refusal.redirect_uri_not_listed),
            ("logout URI not listed", &refusal.logout_uri_not_listed),
            ("repeated", &refusal.repeated),
            ("malformed", &refusal.malformed),
            ("logged out", &page.logged_out),
            ("logged out about", &page.logged_out_about),
        ];
        let all = all.map(|(name, text)| {
            let text = texts.authorize_text(text, &names);
            (format!("authorize {name}"), text)
        });
        all.to_vec()
    }

    #[test]
    fn pages_of_the_openid_provider_name_app_site_number_and_parameter() {
        let with = |name: &str| match name {
            "authorize title" | "authorize phone unknown" => &["Testshop"][..],
            "authorize learns user" => &["Testshop", SITE],
            "authorize number" => &["+49 ••• 67"],
            "authorize repeated" => &["state"],
            "authorize learns number"
            | "authorize learns sameness"
            | "authorize not yours"
            | "authorize cancel"
            | "authorize leaving"
            | "authorize go on"
            | "authorize expired about"
            | "authorize over about" => &[SITE],
            _ => &[],
        };
        for language in Language::VARIANTS {
            for (name, text) in named(Texts::for_language(*language)) {
                for part in ["Testshop", SITE, "+49 ••• 67", "state"] {
                    let expected = usize::from(with(&name).contains(&part));
                    assert_eq!(
                        text.matches(part).count(),
                        expected,
                        "{language:?} {name}: {text}"
                    );
                }
            }
        }
    }
}
