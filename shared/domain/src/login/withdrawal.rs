//! The effect of an app's current settings on a login that was opened under earlier ones.
//!
//! A login keeps the rules under which it was opened, unless the app has become stricter since: then the
//! stricter setting applies to the next step. Settings that the app has added or relaxed since apply
//! only to new logins.

use super::{BrowserBinding, Encryption, Login, LoginCreator, State};
use crate::app::login::{LoginSettings, LoginsFrom, PayloadEncryption};

impl Login {
    /// Returns the login under the stricter of its own rules and the app's current ones, as far as the next
    /// step can still satisfy them.
    #[must_use]
    pub fn under(self, settings: &LoginSettings) -> Self {
        let is_unopened = self.phone().is_none();
        let lists = |page: &_| settings.return_pages.contains(page);
        Self {
            requires_proof: self.requires_proof || settings.require_proof,
            requires_check_code: self.requires_check_code || (is_unopened && settings.check_code),
            return_url: self.return_url.filter(|page| !is_unopened || lists(page)),
            ..self
        }
    }

    /// Returns whether the app's current settings would have prevented the login from reaching its state. `None`
    /// means that the app was deleted.
    #[must_use]
    pub fn is_withdrawn(&self, settings: Option<&LoginSettings>) -> bool {
        let Some(settings) = settings else {
            return true;
        };
        let is_at_listed_page = self.openid.is_some() || settings.allows(&self.origin);
        let is_listed = settings.link_host.is_some() && is_at_listed_page;
        let is_of_page =
            self.creator == LoginCreator::Page && settings.logins_from == LoginsFrom::Server;
        let is_readable = self.encryption == Encryption::Plain
            && settings.payload_encryption == PayloadEncryption::Required;
        let is_unbound = self.phone().is_some_and(|phone| match phone.binding {
            Some(BrowserBinding::Return(_)) => {
                let mut pages = settings.return_pages.iter();
                !pages.any(|page| Some(page) == self.return_url.as_ref())
            }
            Some(BrowserBinding::CheckCode(_)) => false,
            None => settings.check_code,
        });
        let is_unproven = settings.require_proof
            && matches!(self.state, State::Confirmed { .. })
            && self.verified_user().is_none();
        !is_listed || is_of_page || is_readable || is_unbound || is_unproven
    }
}
