//! The confirmation screen, which the phone shows before the person decides: the Session object's
//! `mobileTemplateResponse` (mobile SDK, section 2).

use super::risk::Flag;
use super::texts::Texts;
use crate::login::sighting::{PlaceCredit, Sighting};
use crate::login::{Login, Phone};

/// A fact on the screen, with any doubts about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The fact: the name of a place or a browser.
    pub what: String,
    /// Reasons for a closer look; `None` if there are none.
    pub issue: Option<String>,
}

/// The texts of the screen. They name the site, both places, the browser and its system. The phone
/// adds two buttons of equal weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmationScreen {
    /// Member `title`.
    pub title: String,
    /// Member `message`.
    pub message: String,
    /// Member `widget`: the location of the browser.
    pub widget: Subject,
    /// Member `mobile`: the location of the phone.
    pub mobile: Subject,
    /// Member `userAgent`: the browser and its system.
    pub user_agent: Subject,
    /// Member `flags`: all flags, most serious first, including flags that do not change the
    /// status.
    pub flags: Vec<ShownFlag>,
    /// Member `attributions`: the sources to credit beside the places, each once.
    pub credits: Vec<PlaceCredit>,
}

/// A flag with its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownFlag {
    /// The flag, which gives the members `code` and `severity`.
    pub flag: Flag,
    /// Member `text`.
    pub text: &'static str,
}

/// The fact on the screen that a flag is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FlagSubject {
    Widget,
    Mobile,
    UserAgent,
    /// Each unknown place.
    Unknown,
    /// None of the facts on the screen.
    Nothing,
}

const fn about(flag: Flag) -> FlagSubject {
    match flag {
        Flag::BrowserAttacker
        | Flag::BrowserTor
        | Flag::BrowserVpn
        | Flag::BrowserHosting
        | Flag::CountriesDifferHidden
        | Flag::CountriesDiffer
        | Flag::FarApart
        | Flag::DenialsRefused
        | Flag::Denials => FlagSubject::Widget,
        Flag::PhoneTor | Flag::TooFast => FlagSubject::Mobile,
        Flag::NewBrowser => FlagSubject::UserAgent,
        Flag::PlaceUnknown => FlagSubject::Unknown,
        Flag::NameUnchecked | Flag::SameNetwork => FlagSubject::Nothing,
    }
}

impl ConfirmationScreen {
    /// Writes the screen of a login for the phone that opened it.
    #[must_use]
    pub fn new(login: &Login, phone: &Phone, texts: &'static Texts) -> Self {
        let (browser, mobile) = (&login.browser, &phone.sighting);
        let unknown = |sighting: &Sighting| sighting.place.coordinates.is_none();
        let issue = |wanted: FlagSubject, is_unknown: bool| {
            let speaks = |flag: &Flag| match about(*flag) {
                FlagSubject::Unknown => is_unknown,
                subject => subject == wanted,
            };
            texts.sentences(phone.risk.flags().iter().copied().filter(speaks))
        };
        let mut credits: Vec<_> = [browser, mobile]
            .into_iter()
            .filter_map(|sighting| sighting.place.credit)
            .collect();
        credits.dedup();
        let shown = |flag: &Flag| ShownFlag {
            flag: *flag,
            text: texts.flag(*flag),
        };
        Self {
            title: texts.title(&login.origin, &login.creator),
            message: if login.has_seen_browser() {
                texts.message(&login.origin, &browser.user_agent, &browser.place)
            } else {
                texts.message_of_server(&login.origin, login.context())
            },
            widget: Subject {
                what: texts.place(&browser.place),
                issue: issue(FlagSubject::Widget, unknown(browser)),
            },
            mobile: Subject {
                what: texts.place(&mobile.place),
                issue: issue(FlagSubject::Mobile, unknown(mobile)),
            },
            user_agent: Subject {
                what: texts.browser(&browser.user_agent),
                issue: issue(FlagSubject::UserAgent, false),
            },
            flags: phone.risk.flags().iter().map(shown).collect(),
            credits,
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantArray as _;

    use super::*;
    use crate::login::LoginCreator;
    use crate::login::risk::Assessment;
    use crate::login::sighting::{City, Coordinates, CountryCode, NetworkClass, Place, UserAgent};
    use crate::login::texts::Language;
    use crate::login::{BrowserTokenHash, Encryption, MobileTokenHash, State};
    use crate::primitives::ids::{LoginId, LoginKind};
    use crate::primitives::time::Timestamp;
    use crate::web::origin::WebOrigin;

    fn seen(city: &str) -> Sighting {
        Sighting::new(
            "203.0.113.7".parse().unwrap(),
            UserAgent::new("(Linux) Firefox/140.0"),
            Place {
                country: "DE".parse::<CountryCode>().ok(),
                city: City::new(city),
                coordinates: Coordinates::from_degrees(1.0, 1.0).ok(),
                credit: None,
            },
            NetworkClass::Access,
        )
    }

    fn screen(phone_place: Place, flags: &[Flag]) -> ConfirmationScreen {
        screen_of(LoginCreator::Page, phone_place, flags)
    }

    fn screen_of(creator: LoginCreator, phone_place: Place, flags: &[Flag]) -> ConfirmationScreen {
        let now = Timestamp::from_millis(0);
        let (login, phone) = (login(creator, now), phone(phone_place, flags, now));
        ConfirmationScreen::new(&login, &phone, Texts::for_language(Language::English))
    }

    fn login(creator: LoginCreator, now: Timestamp) -> Login {
        Login {
            id: LoginId::from_bytes(LoginKind::Plain, [0; 16]),
            app: "demo".parse::<crate::primitives::ids::AppId>().unwrap(),
            origin: "https://shop.example".parse::<WebOrigin>().unwrap(),
            creator,
            browser_token: BrowserTokenHash::from_bytes([0; 32]),
            requires_proof: false,
            requires_check_code: false,
            openid: None,
            is_joined: false,
            test: false,
            page_token: None,
            browser: seen("Berlin"),
            encryption: Encryption::Plain,
            return_url: None,
            callback: None,
            created_at: now,
            watchers: Vec::new(),
            state: State::Created { expires_at: now },
            notice: None,
            purge_at: now,
        }
    }

    fn phone(place: Place, flags: &[Flag], now: Timestamp) -> Phone {
        Phone {
            token: MobileTokenHash::from_bytes([0; 32]),
            sighting: Sighting {
                place,
                ..seen("Köln")
            },
            user: None,
            risk: Assessment::from_flags(flags.iter().copied()),
            scanned_at: now,
            verified: None,
            binding: None,
        }
    }

    #[test]
    fn screen_names_the_site_both_places_and_the_browser() {
        let screen = screen(seen("Köln").place, &[]);
        assert_eq!(screen.title, "Log in to shop.example?");
        for part in ["shop.example", "Firefox on Linux", "Berlin, DE"] {
            assert!(screen.message.contains(part), "{part}");
        }
        let plain = |what: &str| Subject {
            what: what.to_owned(),
            issue: None,
        };
        assert_eq!(screen.widget, plain("Berlin, DE"));
        assert_eq!(screen.mobile, plain("Köln, DE"));
        assert_eq!(screen.user_agent, plain("Firefox on Linux"));
        assert_eq!(screen.flags, []);
        assert_eq!(screen.credits, []);
    }

    #[test]
    fn screen_names_each_source_of_its_places_once() {
        let now = Timestamp::from_millis(0);
        let credited = |credit| Place {
            credit,
            ..seen("Köln").place
        };
        let by = Some(PlaceCredit::DbIp);
        for (browser, phone, credits) in [
            (by, by, &[PlaceCredit::DbIp][..]),
            (by, None, &[PlaceCredit::DbIp]),
            (None, by, &[PlaceCredit::DbIp]),
            (None, None, &[]),
        ] {
            let mut login = login(LoginCreator::Page, now);
            login.browser.place = credited(browser);
            let phone = self::phone(credited(phone), &[], now);
            let screen =
                ConfirmationScreen::new(&login, &phone, Texts::for_language(Language::English));
            assert_eq!(screen.credits, credits);
        }
    }

    #[test]
    fn screen_of_a_server_asks_about_the_context_and_not_about_a_browser() {
        let context = "Pay 20 EUR".parse::<crate::login::Context>().ok();
        for (context, title) in [
            (None, "Log in to shop.example?"),
            (context, "Approve a request of shop.example?"),
        ] {
            let screen = screen_of(
                LoginCreator::Server {
                    context,
                    user: None,
                },
                seen("Köln").place,
                &[],
            );
            assert_eq!(screen.title, title);
            assert!(screen.message.starts_with("shop.example asks you to "));
            for part in ["Firefox", "Berlin", "20 EUR"] {
                assert!(!screen.message.contains(part), "{part}");
            }
        }
    }

    #[test]
    fn screen_of_a_server_whose_page_has_joined_names_the_browser() {
        let now = Timestamp::from_millis(0);
        let mut login = login(
            LoginCreator::Server {
                context: None,
                user: None,
            },
            now,
        );
        login.is_joined = true;
        let phone = phone(seen("Köln").place, &[], now);
        let screen =
            ConfirmationScreen::new(&login, &phone, Texts::for_language(Language::English));
        assert_eq!(screen.title, "Log in to shop.example?");
        for part in ["shop.example", "Firefox on Linux", "Berlin, DE"] {
            assert!(screen.message.contains(part), "{part}");
        }
    }

    #[test]
    fn every_flag_is_shown_next_to_its_fact() {
        let texts = Texts::for_language(Language::English);
        let text = |flag: Flag| Some(texts.flag(flag).to_owned());
        let known = || seen("Köln").place;
        let vpn = screen(known(), &[Flag::BrowserVpn]);
        assert_eq!(vpn.widget.issue, text(Flag::BrowserVpn));
        assert_eq!((vpn.mobile.issue, vpn.user_agent.issue), (None, None));
        let tor = screen(known(), &[Flag::PhoneTor]);
        assert_eq!(tor.mobile.issue, text(Flag::PhoneTor));
        assert_eq!(tor.widget.issue, None);
        let new = screen(known(), &[Flag::NewBrowser]);
        assert_eq!(new.user_agent.issue, text(Flag::NewBrowser));
        let lost = screen(Place::default(), &[Flag::PlaceUnknown]);
        assert_eq!(lost.mobile.issue, text(Flag::PlaceUnknown));
        assert_eq!(lost.mobile.what, "unknown place");
        assert_eq!((lost.widget.issue, lost.user_agent.issue), (None, None));
        for &flag in Flag::VARIANTS {
            let said = screen(Place::default(), &[flag]);
            let text = texts.flag(flag);
            assert_eq!(said.flags, [ShownFlag { flag, text }]);
            let issues = [said.widget.issue, said.mobile.issue, said.user_agent.issue];
            let doubts = match flag {
                Flag::NameUnchecked | Flag::SameNetwork => 0,
                _ => 1,
            };
            assert_eq!(issues.into_iter().flatten().count(), doubts, "{flag}");
        }
    }
}
