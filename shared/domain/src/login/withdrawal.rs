//! The app's present settings and a login that was opened under earlier ones.
//!
//! A login keeps what it promised when it was opened, unless the app has become stricter since: then the
//! stricter setting holds at the next step. What the app added or allowed since is for new logins.

use super::{Encryption, Login, Opener, State, Tie};
use crate::app::login::{LoginSettings, LoginsFrom, PayloadEncryption};

impl Login {
    /// Returns the login under the stricter of its rules and the app's present ones, as far as the next step
    /// can still follow them.
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

    /// Returns whether the app's present settings would not have let the login come to where it is. `None` stands
    /// for an app that was deleted.
    #[must_use]
    pub fn is_withdrawn(&self, settings: Option<&LoginSettings>) -> bool {
        let Some(settings) = settings else {
            return true;
        };
        let is_listed = settings.link_host.is_some() && settings.allows(&self.origin);
        let is_of_page = self.opener == Opener::Page && settings.logins_from == LoginsFrom::Server;
        let is_readable = self.encryption == Encryption::Plain
            && settings.payload_encryption == PayloadEncryption::Required;
        let is_untied = self.phone().is_some_and(|phone| match phone.tie {
            Some(Tie::Return(_)) => {
                let mut pages = settings.return_pages.iter();
                !pages.any(|page| Some(page) == self.return_url.as_ref())
            }
            Some(Tie::CheckCode(_)) => false,
            None => settings.check_code,
        });
        let is_unproven = settings.require_proof
            && matches!(self.state, State::Confirmed { .. })
            && self.verified_user().is_none();
        !is_listed || is_of_page || is_readable || is_untied || is_unproven
    }
}
