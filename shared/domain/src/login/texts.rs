//! Texts for people: the confirmation screen, the page for people without the app, the pages of the web authenticator and
//! of the `OpenID` provider, in each language.
//!
//! Each language is one file, `texts/<tag>.json`, with all texts; placeholders such as `{site}` are
//! replaced by names. Codes, states and problems are for programs and the same in every language.

mod authorize;
mod bidi;
mod language;
mod phone;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;
use strum::VariantArray as _;

use serde::Deserialize;

use super::context::{Context, LoginCreator};
use super::risk::Flag;
use super::sighting::{Place, UserAgent};
use crate::web::origin::WebOrigin;

pub use authorize::{AuthorizeNames, AuthorizeTexts, RefusalTexts};
pub use language::{Direction, Language};
use phone::PhoneTexts;

/// The texts of one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    #[serde(skip)]
    language: Language,
    /// Title of the confirmation screen.
    title: String,
    /// Question of the confirmation screen.
    message: String,
    /// An unrecognized browser, in the question.
    message_unknown_browser: String,
    /// A place, in the question.
    message_place: String,
    /// An unknown place, in the question.
    message_unknown_place: String,
    /// Title, if the person approves a context.
    approval_title: String,
    /// Question, if the person approves a context. The phone shows the context itself, so the
    /// question must not repeat it.
    approval: String,
    /// Question of a login that the app's server opened without a context.
    login_of_server: String,
    /// Text for an unknown place.
    unknown_place: String,
    /// Text for an unrecognized browser.
    unknown_browser: String,
    /// A browser and its system.
    on_system: String,
    /// Separator of two sentences.
    between_sentences: String,
    flags: FlagTexts,
    landing: LandingTexts,
    authorize: AuthorizeTexts,
    phone: PhoneTexts,
}

/// A sentence for each risk flag.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlagTexts {
    browser_attacker: String,
    browser_tor: String,
    countries_differ_hidden: String,
    /// Used for both flags about denials, which differ only in their verdict.
    denials: String,
    phone_tor: String,
    browser_vpn: String,
    browser_hosting: String,
    countries_differ: String,
    far_apart: String,
    too_fast: String,
    new_browser: String,
    place_unknown: String,
    name_unchecked: String,
    same_network: String,
}

/// The texts of the page for people without the app.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LandingTexts {
    title: String,
    /// Explains the link, if one app owns the link's host.
    about_app: String,
    /// Explains the link, if several apps own the link's host.
    about: String,
    open_on_phone: String,
    get_the_app: String,
    not_started_by_you: String,
}

/// The page for people without the app, in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandingPage {
    /// Title and heading.
    pub title: &'static str,
    /// Explanation of the link.
    pub about: String,
    /// Advice, in the order to show it.
    pub steps: [&'static str; 3],
}

impl Texts {
    #[must_use]
    pub fn for_language(language: Language) -> &'static Self {
        static TEXTS: [OnceLock<Texts>; Language::VARIANTS.len()] =
            [const { OnceLock::new() }; Language::VARIANTS.len()];
        TEXTS[language as usize].get_or_init(|| Self::read(language))
    }

    #[expect(
        clippy::expect_used,
        reason = "a test reads the file of every language"
    )]
    fn read(language: Language) -> Self {
        let json = match language {
            Language::English => include_str!("texts/en.json"),
            Language::German => include_str!("texts/de.json"),
            Language::French => include_str!("texts/fr.json"),
            Language::Spanish => include_str!("texts/es.json"),
            Language::Portuguese => include_str!("texts/pt.json"),
            Language::Italian => include_str!("texts/it.json"),
            Language::Japanese => include_str!("texts/ja.json"),
            Language::Arabic => include_str!("texts/ar.json"),
        };
        let texts = serde_json::from_str(json).expect("a file with every text");
        Self { language, ..texts }
    }

    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Returns the title of the confirmation screen.
    #[must_use]
    pub fn title(&self, origin: &WebOrigin, creator: &LoginCreator) -> String {
        let site = self.host(origin.site());
        match creator.context() {
            None => fill(&self.title, &[("site", &site)]),
            Some(_) => fill(&self.approval_title, &[("site", &site)]),
        }
    }

    /// Returns the question of the confirmation screen of a login that the app's server opened.
    #[must_use]
    pub fn message_of_server(&self, origin: &WebOrigin, context: Option<&Context>) -> String {
        let site = self.host(origin.site());
        match context {
            None => fill(&self.login_of_server, &[("site", &site)]),
            Some(_) => fill(&self.approval, &[("site", &site)]),
        }
    }

    /// Returns the question of the confirmation screen of a login that a page created.
    #[must_use]
    pub fn message(&self, origin: &WebOrigin, browser: &UserAgent, place: &Place) -> String {
        let place = match place.name() {
            Some(name) => fill(&self.message_place, &[("place", &self.name(&name))]),
            None => self.message_unknown_place.clone(),
        };
        let browser = self.browser_or(browser, &self.message_unknown_browser);
        let site = self.host(origin.site());
        let names = [("site", &*site), ("browser", &browser), ("place", &place)];
        fill(&self.message, &names)
    }

    /// Describes a place: `Berlin, DE`, `DE`, or the text for an unknown place.
    #[must_use]
    pub fn place(&self, place: &Place) -> String {
        let name = place.name().map(|name| self.name(&name));
        name.unwrap_or_else(|| self.unknown_place.clone())
    }

    /// Describes a browser and its system: `Firefox on Linux`.
    #[must_use]
    pub fn browser(&self, browser: &UserAgent) -> String {
        self.browser_or(browser, &self.unknown_browser)
    }

    fn browser_or(&self, browser: &UserAgent, unknown: &str) -> String {
        let (browser, system) = browser.parts();
        let browser = browser.map_or_else(|| unknown.to_owned(), |name| self.name(name));
        let Some(system) = system else { return browser };
        let names = [("browser", &*browser), ("system", &self.name(system))];
        fill(&self.on_system, &names)
    }

    /// Returns the sentence about a flag.
    #[must_use]
    pub fn flag(&self, flag: Flag) -> &str {
        let texts = &self.flags;
        match flag {
            Flag::BrowserAttacker => &texts.browser_attacker,
            Flag::BrowserTor => &texts.browser_tor,
            Flag::CountriesDifferHidden => &texts.countries_differ_hidden,
            Flag::DenialsRefused | Flag::Denials => &texts.denials,
            Flag::PhoneTor => &texts.phone_tor,
            Flag::BrowserVpn => &texts.browser_vpn,
            Flag::BrowserHosting => &texts.browser_hosting,
            Flag::CountriesDiffer => &texts.countries_differ,
            Flag::FarApart => &texts.far_apart,
            Flag::TooFast => &texts.too_fast,
            Flag::NewBrowser => &texts.new_browser,
            Flag::PlaceUnknown => &texts.place_unknown,
            Flag::NameUnchecked => &texts.name_unchecked,
            Flag::SameNetwork => &texts.same_network,
        }
    }

    /// Returns the sentences about flags as one text, or `None` if there are no flags. If several
    /// flags share a sentence, it appears once.
    #[must_use]
    pub fn sentences(&self, flags: impl IntoIterator<Item = Flag>) -> Option<String> {
        let mut sentences: Vec<_> = flags.into_iter().map(|flag| self.flag(flag)).collect();
        sentences.dedup();
        (!sentences.is_empty()).then(|| sentences.join(&self.between_sentences))
    }

    /// Returns the page for people without the app. `app` is the app's name if only one app owns
    /// the link's host.
    #[must_use]
    pub fn landing(&'static self, app: Option<&str>) -> LandingPage {
        let app = app.map(|name| self.name(name));
        let texts = &self.landing;
        LandingPage {
            title: &texts.title,
            about: match app {
                Some(app) => fill(&texts.about_app, &[("app", &app)]),
                None => texts.about.clone(),
            },
            steps: [
                &texts.open_on_phone,
                &texts.get_the_app,
                &texts.not_started_by_you,
            ],
        }
    }

    /// Isolates the name of a place, a browser, a system or an app for a sentence. Its first letter
    /// with a direction determines its direction.
    fn name(&self, name: &str) -> String {
        let name = bidi::without_controls(name);
        match self.language.direction() {
            Direction::LeftToRight => name,
            Direction::RightToLeft => bidi::isolated(&name),
        }
    }

    /// Isolates a host for a sentence. A host is always written from left to right, because labels
    /// in a different order would name a different site.
    fn host(&self, host: &str) -> String {
        let host = bidi::without_controls(host);
        match self.language.direction() {
            Direction::LeftToRight => host,
            Direction::RightToLeft => bidi::left_to_right(&host),
        }
    }
}

/// Replaces each placeholder in braces by its name. Names are inserted literally, including any
/// braces.
fn fill(text: &str, names: &[(&str, &str)]) -> String {
    let mut pieces = text.split('{');
    let mut filled = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (word, rest) = piece.split_once('}').unwrap_or((piece, ""));
        let name = names.iter().find(|(known, _)| *known == word);
        filled.push_str(name.map_or("", |(_, name)| name));
        filled.push_str(rest);
    }
    filled
}
