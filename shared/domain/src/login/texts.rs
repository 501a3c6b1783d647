//! Texts for people: the confirmation screen and the page for people without the app, in each
//! language.
//!
//! A language is one file with one [`Texts`], so the compiler finds a text that is missing. Codes,
//! states and problems are for programs and the same in every language.

mod ar;
mod bidi;
mod de;
mod en;
mod es;
mod fr;
mod it;
mod ja;
mod language;
mod pt;

#[cfg(test)]
mod tests;

use super::context::{Context, Opener};
use super::risk::Flag;
use super::sighting::{Place, UserAgent};
use crate::web::origin::WebOrigin;

pub use language::{Direction, Language};

/// The texts of one language.
pub struct Texts {
    language: Language,
    /// Title of the confirmation screen. The parameter is the site.
    title: fn(site: &str) -> String,
    /// Question of the confirmation screen.
    message: fn(&Asker) -> String,
    server: ServerTexts,
    /// Text for a place that is not known.
    unknown_place: &'static str,
    /// Text for a browser that is not recognised.
    unknown_browser: &'static str,
    /// A browser and its system.
    on_system: fn(browser: &str, system: &str) -> String,
    /// Text between two sentences.
    between_sentences: &'static str,
    flags: FlagTexts,
    landing: LandingTexts,
}

/// The confirmation screen of a login that the app's server opened. The parameter is the site.
struct ServerTexts {
    /// Title, if the person approves a context.
    approval_title: fn(site: &str) -> String,
    /// Question, if the person approves a context. The phone shows the context itself, so that the
    /// question must not repeat it.
    approval: fn(site: &str) -> String,
    /// Question without a context.
    login: fn(site: &str) -> String,
}

/// A sentence for each risk flag.
struct FlagTexts {
    browser_attacker: &'static str,
    browser_tor: &'static str,
    countries_differ_hidden: &'static str,
    /// For both flags about denials, which differ in their verdict alone.
    denials: &'static str,
    phone_tor: &'static str,
    browser_vpn: &'static str,
    browser_hosting: &'static str,
    countries_differ: &'static str,
    far_apart: &'static str,
    too_fast: &'static str,
    new_browser: &'static str,
    place_unknown: &'static str,
    name_unchecked: &'static str,
    same_network: &'static str,
}

/// The texts of the page for people without the app.
struct LandingTexts {
    title: &'static str,
    /// Explains the link. The parameter is the app's name, if one app owns the link's host.
    about: fn(app: Option<&str>) -> String,
    open_on_phone: &'static str,
    get_the_app: &'static str,
    not_started_by_you: &'static str,
}

/// The login that a question is about, with names that can be put into a sentence.
struct Asker {
    site: String,
    browser: Option<String>,
    system: Option<String>,
    place: Option<String>,
}

impl Asker {
    /// Names the browser and its system inside a sentence, where `unknown` stands for a browser that
    /// is not recognised.
    fn browser(&self, unknown: &str, on_system: fn(&str, &str) -> String) -> String {
        let browser = self.browser.as_deref().unwrap_or(unknown);
        match &self.system {
            Some(system) => on_system(browser, system),
            None => browser.to_owned(),
        }
    }
}

/// The page for people without the app, in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandingPage {
    /// Title and heading.
    pub title: &'static str,
    /// Explanation of the link.
    pub about: String,
    /// Advice, in this order.
    pub steps: [&'static str; 3],
}

impl Texts {
    /// Returns the texts of a language.
    #[must_use]
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &en::TEXTS,
            Language::German => &de::TEXTS,
            Language::French => &fr::TEXTS,
            Language::Spanish => &es::TEXTS,
            Language::Portuguese => &pt::TEXTS,
            Language::Italian => &it::TEXTS,
            Language::Japanese => &ja::TEXTS,
            Language::Arabic => &ar::TEXTS,
        }
    }

    /// Returns the language.
    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// Returns the title of the confirmation screen.
    #[must_use]
    pub fn title(&self, origin: &WebOrigin, opener: &Opener) -> String {
        let site = self.host(origin.site());
        match opener.context() {
            None => (self.title)(&site),
            Some(_) => (self.server.approval_title)(&site),
        }
    }

    /// Returns the question of the confirmation screen of a login that the app's server opened.
    #[must_use]
    pub fn message_of_server(&self, origin: &WebOrigin, context: Option<&Context>) -> String {
        let site = self.host(origin.site());
        match context {
            None => (self.server.login)(&site),
            Some(_) => (self.server.approval)(&site),
        }
    }

    /// Returns the question of the confirmation screen of a login that a page created.
    #[must_use]
    pub fn message(&self, origin: &WebOrigin, browser: &UserAgent, place: &Place) -> String {
        let (browser, system) = browser.parts();
        (self.message)(&Asker {
            site: self.host(origin.site()),
            browser: browser.map(|name| self.name(name)),
            system: system.map(|name| self.name(name)),
            place: place.name().map(|name| self.name(&name)),
        })
    }

    /// Describes a place: `Berlin, DE`, `DE`, or as unknown.
    #[must_use]
    pub fn place(&self, place: &Place) -> String {
        let name = place.name().map(|name| self.name(&name));
        name.unwrap_or_else(|| self.unknown_place.to_owned())
    }

    /// Describes a browser and its system: `Firefox on Linux`.
    #[must_use]
    pub fn browser(&self, browser: &UserAgent) -> String {
        let (browser, system) = browser.parts();
        let browser = match browser {
            Some(name) => self.name(name),
            None => self.unknown_browser.to_owned(),
        };
        match system {
            Some(system) => (self.on_system)(&browser, &self.name(system)),
            None => browser,
        }
    }

    /// Returns the sentence about a flag.
    #[must_use]
    pub const fn flag(&self, flag: Flag) -> &'static str {
        let texts = &self.flags;
        match flag {
            Flag::BrowserAttacker => texts.browser_attacker,
            Flag::BrowserTor => texts.browser_tor,
            Flag::CountriesDifferHidden => texts.countries_differ_hidden,
            Flag::DenialsRefused | Flag::Denials => texts.denials,
            Flag::PhoneTor => texts.phone_tor,
            Flag::BrowserVpn => texts.browser_vpn,
            Flag::BrowserHosting => texts.browser_hosting,
            Flag::CountriesDiffer => texts.countries_differ,
            Flag::FarApart => texts.far_apart,
            Flag::TooFast => texts.too_fast,
            Flag::NewBrowser => texts.new_browser,
            Flag::PlaceUnknown => texts.place_unknown,
            Flag::NameUnchecked => texts.name_unchecked,
            Flag::SameNetwork => texts.same_network,
        }
    }

    /// Returns the sentences about flags as one text, or `None` without flags. Flags that share a
    /// sentence state it once.
    #[must_use]
    pub fn sentences(&self, flags: impl IntoIterator<Item = Flag>) -> Option<String> {
        let mut sentences: Vec<_> = flags.into_iter().map(|flag| self.flag(flag)).collect();
        sentences.dedup();
        (!sentences.is_empty()).then(|| sentences.join(self.between_sentences))
    }

    /// Returns the page for people without the app. `app` is the app's name, if one app owns the
    /// link's host.
    #[must_use]
    pub fn landing(&self, app: Option<&str>) -> LandingPage {
        let app = app.map(|name| self.name(name));
        let texts = &self.landing;
        LandingPage {
            title: texts.title,
            about: (texts.about)(app.as_deref()),
            steps: [
                texts.open_on_phone,
                texts.get_the_app,
                texts.not_started_by_you,
            ],
        }
    }

    /// Prepares a name of a place, a browser, a system or an app for a sentence. Its own first letter
    /// decides its direction.
    fn name(&self, name: &str) -> String {
        let name = bidi::without_controls(name);
        match self.language.direction() {
            Direction::LeftToRight => name,
            Direction::RightToLeft => bidi::isolated(&name),
        }
    }

    /// Prepares a host for a sentence. It always reads from left to right, since labels in another
    /// order would name another site.
    fn host(&self, host: &str) -> String {
        let host = bidi::without_controls(host);
        match self.language.direction() {
            Direction::LeftToRight => host,
            Direction::RightToLeft => bidi::left_to_right(&host),
        }
    }
}
