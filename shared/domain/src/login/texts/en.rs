//! English.

use super::{Asker, FlagTexts, LandingTexts, Language, ServerTexts, Texts};

pub(super) const TEXTS: Texts = Texts {
    language: Language::English,
    title: |site| format!("Log in to {site}?"),
    message,
    server: ServerTexts {
        approval_title: |site| format!("Approve a request of {site}?"),
        approval: |site| {
            format!(
                "{site} asks you to approve the text that is shown with this question. Approve only what \
             you expect, after you have read every line."
            )
        },
        login: |site| {
            format!(
                "{site} asks you to confirm a login that its server started. Confirm only if you are \
             logging in at this moment."
            )
        },
    },
    unknown_place: "unknown place",
    unknown_browser: "unknown browser",
    on_system,
    between_sentences: " ",
    flags: FlagTexts {
        browser_attacker: "The browser uses an address that attacks have come from.",
        browser_tor: "The browser hides where it is by using Tor.",
        countries_differ_hidden: "The browser seems to be in another country than this phone, and hides where it is.",
        denials: "Logins from the browser's address were denied several times in the last minutes.",
        phone_tor: "This phone hides where it is by using Tor.",
        browser_vpn: "The browser uses a VPN, so it may be elsewhere than it seems.",
        browser_hosting: "The browser runs in a data centre, not where people are.",
        countries_differ: "The browser is in another country than this phone.",
        far_apart: "The browser is far away from this phone.",
        too_fast: "The last login was confirmed too far away for the time in between.",
        new_browser: "You have not confirmed a login from this browser lately.",
        place_unknown: "It is not known how far the browser and this phone are from each other.",
        name_unchecked: "The app did not say who is logging in, so no earlier logins were compared.",
        same_network: "The browser and this phone use the same network.",
    },
    landing: LandingTexts {
        title: "Open this link on your phone",
        about: |app| match app {
            Some(app) => format!(
                "This link belongs to a login to {app}. It opens in the {app} app, which is not on \
                 this device or did not take the link."
            ),
            None => "This link belongs to a login. It opens in the app of the site that you are \
                     logging in to, and that app is not on this device or did not take the link."
                .to_owned(),
        },
        open_on_phone: "Open the link on the phone that has the app, or scan the code with the app itself.",
        get_the_app: "If you do not have the app yet, get it from the site, then go back and ask for a new code.",
        not_started_by_you: "If you did not start a login yourself, close this page. Nothing has happened.",
    },
};

fn on_system(browser: &str, system: &str) -> String {
    format!("{browser} on {system}")
}

fn message(asker: &Asker) -> String {
    let site = &asker.site;
    let browser = asker.browser("an unknown browser", on_system);
    let place = asker.place.as_deref().unwrap_or("an unknown place");
    format!(
        "A login to {site} was started with {browser} in {place}. Confirm only if you started it \
         yourself, on a screen in front of you."
    )
}
