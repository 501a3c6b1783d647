use countersign_domain::app::senders::SenderPool;
use countersign_domain::login::texts::Language;
use strum::VariantArray as _;

use super::*;

fn app() -> App {
    let mut app = App::new(
        "testshop".parse().unwrap(),
        "cs_app_0123456789012345678901".parse().unwrap(),
        Timestamp::from_millis(0),
        SenderPool::new([(None, "+12025550199".parse().unwrap())]).unwrap(),
    );
    app.login.web_phone = true;
    app.login.phone_setup_url = "https://shop.example/phones?a=1&b=2".parse().ok();
    app
}

fn in_language(template: &str, language: Language, app: &App) -> String {
    let now = Timestamp::from_millis(1_767_323_045_678);
    html(template, Texts::for_language(language), app, now)
}

#[test]
fn pages_are_complete_in_every_language() {
    for &language in Language::VARIANTS {
        for template in [SETUP, CONFIRM] {
            let html = in_language(template, language, &app());
            for missing in [
                "{{",
                "<p></p>",
                "<title></title>",
                "<li></li>",
                "<dt></dt>",
                "<h1 tabindex=\"-1\"></h1>",
                "=\"\"",
                "type=\"button\" data-action=\"cancel\"></button>",
                "<strong></strong>",
            ] {
                let found = html
                    .find(missing)
                    .map(|at| &html[at.saturating_sub(90)..at + missing.len()]);
                assert_eq!(found, None, "{language:?}");
            }
        }
    }
}

#[test]
fn every_text_is_on_a_page() {
    let texts = Texts::for_language(Language::English);
    let pages = [SETUP, CONFIRM].map(|template| in_language(template, Language::English, &app()));
    for name in texts.phone_names() {
        let text = escaped(&texts.phone(name, "testshop").unwrap());
        assert!(pages.iter().any(|page| page.contains(&text)), "{name}");
    }
}

#[test]
fn page_has_the_apps_names_and_its_link() {
    let page = in_language(CONFIRM, Language::English, &app());
    for part in [
        "data-app-key=\"cs_app_0123456789012345678901\"",
        "data-time=\"1767323045678\"",
        "href=\"https://shop.example/phones?a=1&amp;b=2\">Set up this phone</a>",
        "This phone is not set up for testshop",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let mut without = app();
    without.login.phone_setup_url = None;
    assert!(
        in_language(CONFIRM, Language::English, &without)
            .contains("<a class=\"go main\" href=\"\" hidden>")
    );
}

#[test]
fn only_the_one_app_of_a_host_has_the_pages() {
    let (on, mut off) = (Arc::new(app()), app());
    off.login.web_phone = false;
    let texts = Texts::for_language(Language::English);
    let now = Timestamp::from_millis(0);
    let off = Arc::new(off);
    for (apps, served) in [
        (&[Arc::clone(&on)][..], true),
        (&[Arc::clone(&off)], false),
        (&[Arc::clone(&on), Arc::clone(&off)], false),
        (&[], false),
    ] {
        assert_eq!(setup(apps, texts, now).is_some(), served);
        assert_eq!(confirmation(apps, texts, now).is_some(), served);
    }
}

#[test]
fn page_cannot_be_framed_cached_or_scripted_by_others() {
    let response = setup(
        &[Arc::new(app())],
        Texts::for_language(Language::German),
        Timestamp::from_millis(0),
    )
    .unwrap();
    let header = |name: &str| {
        response
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("content-language", "de"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(header(name), value, "{name}");
    }
    let policy = header("content-security-policy");
    for part in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "connect-src 'self'",
    ] {
        assert!(policy.contains(part), "{part}");
    }
    assert!(header("permissions-policy").contains("publickey-credentials-get=(self)"));
}
