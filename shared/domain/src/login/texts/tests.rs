//! Checks of each language against the others.

use strum::VariantArray as _;

use super::bidi;
use super::phone::tests::SAME_WORDS;
use super::*;
use crate::login::sighting::{City, CountryCode};

const SITE: &str = "shop.example:8443";

fn origin() -> WebOrigin {
    format!("https://{SITE}").parse().unwrap()
}

fn place() -> Place {
    Place {
        country: "DE".parse::<CountryCode>().ok(),
        city: City::new("Testham"),
        coordinates: None,
        credit: None,
    }
}

fn firefox() -> UserAgent {
    UserAgent::new("(Linux) Firefox/140.0")
}

fn each() -> impl Iterator<Item = (Language, &'static Texts)> {
    Language::VARIANTS
        .iter()
        .copied()
        .map(|language| (language, Texts::for_language(language)))
}

/// Returns all texts of a language with their names, in the same order for each language.
fn all(texts: &'static Texts) -> Vec<(String, String)> {
    let origin = origin();
    let approval = LoginCreator::Server {
        context: "Pay 20 EUR".parse::<Context>().ok(),
        user: None,
    };
    let mut all = vec![
        (
            "title".to_owned(),
            texts.title(&origin, &LoginCreator::Page),
        ),
        ("approval title".to_owned(), texts.title(&origin, &approval)),
        (
            "approval".to_owned(),
            texts.message_of_server(&origin, approval.context()),
        ),
        (
            "login of a server".to_owned(),
            texts.message_of_server(&origin, None),
        ),
    ];
    for (who, agent) in [
        ("known", firefox()),
        ("browser", UserAgent::new("curl/8")),
        ("system", UserAgent::new("(Linux)")),
        ("unknown", UserAgent::default()),
    ] {
        all.push((format!("browser {who}"), texts.browser(&agent)));
        for (at, place) in [("known", place()), ("unknown", Place::default())] {
            let message = texts.message(&origin, &agent, &place);
            all.push((format!("message {who} {at}"), message));
        }
    }
    all.push(("place known".to_owned(), texts.place(&place())));
    all.push(("place unknown".to_owned(), texts.place(&Place::default())));
    let flags = Flag::VARIANTS
        .iter()
        .copied()
        .map(|flag| (flag.to_string(), texts.flag(flag).to_owned()));
    all.extend(flags);
    for (who, app) in [("with app", Some("Testshop")), ("without app", None)] {
        let LandingPage {
            title,
            about,
            steps,
        } = texts.landing(app);
        all.push((format!("landing title {who}"), title.to_owned()));
        all.push((format!("landing about {who}"), about));
        let steps = steps.map(|step| (format!("landing step {who}"), step.to_owned()));
        all.extend(steps);
    }
    all.extend(super::authorize::tests::named(texts));
    all.extend(super::phone::tests::named(texts));
    all
}

#[test]
fn language_has_its_own_texts_and_tag() {
    let tags = Language::VARIANTS.iter();
    let mut tags: Vec<_> = tags.map(|language| language.tag()).collect();
    for (language, texts) in each() {
        assert_eq!(texts.language(), language);
    }
    assert_eq!(Language::default(), Language::VARIANTS[0]);
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), Language::VARIANTS.len());
}

#[test]
fn no_text_is_left_in_english() {
    // These contain only names, which are not translated.
    let untranslated = ["browser browser", "place known"];
    let english = all(Texts::for_language(Language::English));
    for language in &Language::VARIANTS[1..] {
        let translated = all(Texts::for_language(*language));
        assert_eq!(translated.len(), english.len());
        for ((name, text), (known, original)) in translated.iter().zip(&english) {
            assert_eq!(name, known, "{language:?}");
            if SAME_WORDS.contains(&name.as_str()) {
                continue;
            }
            let text = bidi::without_controls(text);
            let is_name = untranslated.contains(&name.as_str());
            assert_eq!(text == *original, is_name, "{language:?} {name}: {text}");
        }
    }
}

#[test]
fn no_text_is_used_twice() {
    for (language, texts) in each() {
        let mut flags: Vec<_> = Flag::VARIANTS
            .iter()
            .map(|flag| texts.flag(*flag))
            .collect();
        flags.sort_unstable();
        flags.dedup();
        // Both flags about denials share one sentence.
        assert_eq!(flags.len(), Flag::VARIANTS.len() - 1, "{language:?}");
        let mut steps = texts.landing(None).steps.to_vec();
        steps.extend([texts.unknown_place.as_str(), &texts.unknown_browser]);
        steps.sort_unstable();
        steps.dedup();
        assert_eq!(steps.len(), 5, "{language:?}");
    }
}

#[test]
fn sentences_keep_every_name() {
    let known = (firefox(), place());
    for (language, texts) in each() {
        let message = texts.message(&origin(), &known.0, &known.1);
        for part in [SITE, "Firefox", "Linux", "Testham, DE"] {
            assert_eq!(message.matches(part).count(), 1, "{language:?}: {message}");
        }
        assert_eq!(
            texts
                .title(&origin(), &LoginCreator::Page)
                .matches(SITE)
                .count(),
            1
        );
        assert!(texts.place(&known.1).contains("Testham, DE"));
        let browser = texts.browser(&known.0);
        assert!(browser.contains("Firefox") && browser.contains("Linux"));
        let system = texts.browser(&UserAgent::new("(Linux)"));
        assert!(system.contains(&texts.unknown_browser) && system.contains("Linux"));
        assert!(texts.landing(Some("Testshop")).about.contains("Testshop"));
    }
}

#[test]
fn texts_are_sentences_of_a_bearable_length() {
    for (language, texts) in each() {
        let end = if language == Language::Japanese {
            '。'
        } else {
            '.'
        };
        let is_short = |text: &str| text.chars().count() < 125;
        for &flag in Flag::VARIANTS {
            let text = texts.flag(flag);
            assert!(
                text.ends_with(end) && is_short(text),
                "{language:?}: {text}"
            );
        }
        let message = texts.message(&origin(), &firefox(), &place());
        assert!(message.ends_with(end) && message.chars().count() < 250);
        let context = "Pay 20 EUR".parse::<Context>().ok();
        for context in [None, context.as_ref()] {
            let message = texts.message_of_server(&origin(), context);
            assert!(message.ends_with(end) && message.chars().count() < 250);
            assert_eq!(message.matches(SITE).count(), 1, "{language:?}: {message}");
        }
        let LandingPage { about, steps, .. } = texts.landing(Some("Testshop"));
        assert!(about.ends_with(end), "{language:?}: {about}");
        assert!(steps.iter().all(|step| step.ends_with(end)));
        for (name, text) in all(texts) {
            let is_plain =
                text.trim() == text && !text.contains("  ") && !text.contains(['{', '}']);
            assert!(is_plain, "{language:?} {name}: {text}");
        }
    }
}

#[test]
fn names_in_right_to_left_texts_are_isolated() {
    let texts = Texts::for_language(Language::Arabic);
    let host = format!("\u{2066}{SITE}\u{2069}");
    let message = texts.message(&origin(), &firefox(), &place());
    assert!(texts.title(&origin(), &LoginCreator::Page).contains(&host));
    for part in [
        host.as_str(),
        "\u{2068}Firefox\u{2069}",
        "\u{2068}Linux\u{2069}",
        "\u{2068}Testham, DE\u{2069}",
    ] {
        assert!(message.contains(part), "{part}");
    }
    let about = texts.landing(Some("Testshop")).about;
    assert!(about.contains("\u{2068}Testshop\u{2069}"));
    for (name, text) in all(texts) {
        let mut depth = 0;
        for c in text.chars() {
            match c {
                '\u{2066}' | '\u{2068}' => depth += 1,
                '\u{2069}' => depth -= 1,
                // Latin letters and digits occur only in isolates.
                c => assert!(depth == 1 || !c.is_ascii_alphanumeric(), "{name}: {text}"),
            }
            assert!((0..=1).contains(&depth), "{name}: {text}");
        }
        assert_eq!(depth, 0, "{name}: {text}");
    }
}

#[test]
fn left_to_right_texts_have_no_directional_characters() {
    for (language, texts) in each() {
        if language.direction() == Direction::LeftToRight {
            for (name, text) in all(texts) {
                assert_eq!(bidi::without_controls(&text), text, "{language:?} {name}");
            }
        }
    }
}

#[test]
fn name_cannot_turn_the_text_around_it() {
    let place = Place {
        city: City::new("Test\u{2069}\u{202e}ham"),
        ..place()
    };
    for (language, texts) in each() {
        let text = texts.place(&place);
        assert!(text.contains("Testham, DE"), "{language:?}: {text}");
        assert!(!text.contains('\u{202e}'));
    }
}

#[test]
fn flags_that_share_a_sentence_state_it_once() {
    let texts = Texts::for_language(Language::English);
    let both = texts.sentences([Flag::DenialsRefused, Flag::Denials]);
    assert_eq!(both.as_deref(), Some(texts.flag(Flag::Denials)));
    assert_eq!(texts.sentences([]), None);
}
