//! The texts of the web authenticator's pages.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Texts, fill};

/// The texts of the pages that set a phone up and confirm, by name. `{app}` is a placeholder. The messages of errors have the
/// mobile SDK's names, which the script uses.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct PhoneTexts(BTreeMap<String, String>);

impl Texts {
    /// Returns a text of the web authenticator's pages, or `None` if none has this name.
    #[must_use]
    pub fn phone(&self, name: &str, app: &str) -> Option<String> {
        let text = self.phone.0.get(name)?;
        Some(fill(text, &[("app", &self.name(app))]))
    }

    /// Returns the names of the web authenticator's texts.
    pub fn phone_names(&self) -> impl Iterator<Item = &str> {
        self.phone.0.keys().map(String::as_str)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::login::texts::Language;

    /// Returns the texts of the web authenticator's pages with their names.
    pub(in crate::login::texts) fn named(texts: &Texts) -> Vec<(String, String)> {
        let named = texts.phone_names().filter_map(|name| {
            let text = texts.phone(name, "Testshop")?;
            Some((format!("phone {name}"), text))
        });
        named.collect()
    }

    /// Labels that are the same word in English and in other languages.
    pub(in crate::login::texts) const SAME_WORDS: &[&str] = &[
        "phone account",
        "phone app",
        "phone browser",
        "phone danger",
        "phone info",
        "phone site",
    ];

    #[test]
    fn unknown_text_has_no_name() {
        let texts = Texts::for_language(Language::German);
        assert_eq!(texts.phone("nothing", "Testshop"), None);
        let title = texts.phone("setup_title", "Testshop");
        assert_eq!(
            title.as_deref(),
            Some("Dieses Telefon für Testshop einrichten")
        );
    }
}
