//! Pages that join a login that the app's server created for them.

use countersign_conformance::failing::Access;
use countersign_conformance::samples::logins::{
    browser_key, browser_token, mobile_token, server, sighting,
};
use countersign_domain::app::login::LoginsFrom;
use countersign_domain::login::risk::{Flag, RiskStatus, SUSPICIOUS_DENIALS};
use countersign_domain::login::sighting::{NetworkClass, Sighting};
use countersign_domain::login::transitions::join;
use countersign_domain::login::{BrowserToken, Login, OpenIdPage, Status};
use countersign_domain::store::{Key, Store};
use countersign_domain::use_cases::logins::{CreateError, CreateRequest};
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::return_url::ReturnUrl;

use super::host::{BROWSER, Logins, SHOP, visitor};

/// The address of the app's server.
const SERVER: &str = "192.0.2.1";
/// The service's own origin.
const SERVICE: &str = "https://countersign.example";
/// A Tor exit.
const TOR: &str = "192.0.2.66";

/// Returns the request of the app's server for the browser with token `n`.
fn of_server<'a>(logins: &'a Logins, token: &'a BrowserToken) -> CreateRequest<'a> {
    CreateRequest {
        creator: server(None),
        browser: visitor(SERVER),
        ..logins.request(token)
    }
}

fn only_servers() -> Logins {
    let mut logins = Logins::new();
    logins.set(|login| login.logins_from = LoginsFrom::Server);
    logins
}

#[test]
fn browser_that_joined_is_the_one_that_the_person_sees_and_whose_risk_counts() {
    let logins = only_servers();
    let token = browser_token(1);
    let id = logins.send(of_server(&logins, &token)).unwrap().login.id;
    let page = || CreateRequest {
        browser: visitor(TOR),
        ..logins.request(&token)
    };
    let joined = logins.send(page()).unwrap();
    assert_eq!(joined.login.id, id);
    // Only the first browser can join, and the server may repeat its request.
    let again = logins.send(logins.request(&token)).unwrap();
    assert_eq!(again.login.browser.address.to_string(), TOR);
    assert!(
        logins
            .send(of_server(&logins, &token))
            .unwrap()
            .login
            .is_joined
    );
    let opened = logins.initiate(id).unwrap();
    assert_eq!(opened.browser.address.to_string(), TOR);
    let risk = &opened.phone().unwrap().risk;
    assert_eq!(risk.flags()[0], Flag::BrowserTor);
    assert_eq!(risk.status(), RiskStatus::Deny);
    // A browser that comes after the phone changes nothing.
    let late = logins.send(logins.request(&token)).unwrap();
    assert_eq!(late.login.status(logins.world.now()), Status::Scanned);
}

#[test]
fn denials_of_joined_logins_count_against_the_browser() {
    let logins = only_servers();
    let mut flags = Vec::new();
    for n in 0..=SUSPICIOUS_DENIALS {
        let token = browser_token(u8::try_from(n).unwrap());
        let id = logins.send(of_server(&logins, &token)).unwrap().login.id;
        logins.send(logins.request(&token)).unwrap();
        let opened = logins.initiate(id).unwrap();
        flags = opened.phone().unwrap().risk.flags().to_vec();
        logins.deny(id, 1).unwrap();
    }
    assert!(flags.contains(&Flag::Denials), "{flags:?}");
}

#[test]
fn page_joins_its_own_login_and_no_other() {
    let logins = only_servers();
    let (token, other) = (browser_token(1), browser_token(2));
    let refused = logins.send(logins.request(&token)).unwrap_err();
    assert!(matches!(refused, CreateError::ServerOnly));
    let sealed = |request| CreateRequest {
        browser_key: Some(browser_key()),
        ..request
    };
    logins.send(sealed(of_server(&logins, &token))).unwrap();
    for request in [
        sealed(logins.request(&other)),
        CreateRequest {
            origin: Some("http://localhost:3000"),
            ..sealed(logins.request(&token))
        },
        logins.request(&token),
    ] {
        let refused = logins.send(request).unwrap_err();
        assert!(matches!(refused, CreateError::ServerOnly), "{refused}");
    }
    assert_eq!(logins.world.count("qr_page_refused"), 4);
    assert!(
        logins
            .send(sealed(logins.request(&token)))
            .unwrap()
            .login
            .is_joined
    );
    // Only the server sets the text that the person approves.
    let approval = browser_token(3);
    let request = CreateRequest {
        creator: server(Some("Pay 20 EUR")),
        browser_key: Some(browser_key()),
        ..logins.request(&approval)
    };
    logins.send(request).unwrap();
    let refused = logins.send(logins.request(&approval)).unwrap_err();
    assert!(matches!(refused, CreateError::ServerOnly));
}

#[test]
fn page_joins_where_it_could_create_the_login_itself() {
    let logins = Logins::new();
    let token = browser_token(1);
    let id = logins.send(of_server(&logins, &token)).unwrap().login.id;
    let joined = logins.send(logins.request(&token)).unwrap().login;
    assert_eq!((joined.id, joined.is_joined), (id, true));
    assert_eq!(joined.browser.address.to_string(), BROWSER);
}

#[test]
fn joining_page_names_where_the_app_returns_to() {
    let logins = only_servers();
    let token = browser_token(1);
    logins.send(of_server(&logins, &token)).unwrap();
    let page = || format!("{SHOP}/login").parse::<ReturnUrl>().ok();
    let request = CreateRequest {
        return_url: page(),
        ..logins.request(&token)
    };
    assert_eq!(logins.send(request).unwrap().login.return_url, page());
}

/// The request with which the service opens a login for its own page.
fn of_the_service<'a>(logins: &'a Logins, token: &'a BrowserToken) -> CreateRequest<'a> {
    CreateRequest {
        creator: server(None),
        origin: Some(SERVICE),
        openid: Some(OpenIdPage::from_bytes([7; 32])),
        ..logins.request(token)
    }
}

#[test]
fn page_of_the_service_joins_what_the_service_opened_for_it() {
    let mut logins = Logins::new();
    logins.set(|login| login.callback = CallbackUrl::from_stored("https://shop.example/l").ok());
    let (token, other) = (browser_token(1), browser_token(2));
    let page = |token| CreateRequest {
        origin: Some(SERVICE),
        own_origin: Some(SERVICE),
        return_url: format!("{SERVICE}/authorize").parse().ok(),
        ..logins.request(token)
    };
    let early = logins.send(page(&token)).unwrap_err();
    assert!(matches!(early, CreateError::ServerOnly), "{early}");
    let login = logins.send(of_the_service(&logins, &token)).unwrap().login;
    assert_eq!(
        login.browser.address.to_string(),
        BROWSER,
        "what the person sees"
    );
    assert_eq!((login.callback.as_ref(), login.page_token), (None, None));
    let joined = logins.send(page(&token)).unwrap().login;
    assert_eq!((joined.id, joined.openid), (login.id, login.openid));
    assert_eq!(joined.return_url, None);
    let stranger = logins.send(page(&other)).unwrap_err();
    assert!(matches!(stranger, CreateError::ServerOnly), "{stranger}");
    // Nobody else opens logins at that origin.
    for request in [
        CreateRequest {
            own_origin: None,
            ..page(&other)
        },
        CreateRequest {
            creator: server(None),
            ..page(&other)
        },
    ] {
        let refused = logins.send(request).unwrap_err();
        assert!(
            matches!(refused, CreateError::OriginNotListed { .. }),
            "{refused}"
        );
    }
}

#[test]
fn login_at_the_services_origin_is_opened_and_confirmed() {
    let logins = Logins::new();
    let token = browser_token(1);
    let id = logins
        .send(of_the_service(&logins, &token))
        .unwrap()
        .login
        .id;
    assert_eq!(logins.initiate(id).unwrap().origin.as_str(), SERVICE);
    logins.confirm(id, 1, "yes").unwrap();
    assert_eq!(
        logins.world.login(id).status(logins.world.now()),
        Status::Confirmed
    );
}

/// Otherwise, the phone would show one browser, but the risk would be that of another.
#[test]
fn browser_that_joins_while_the_risk_is_judged_is_judged() {
    let logins = only_servers();
    let token = browser_token(1);
    let login = logins.send(of_server(&logins, &token)).unwrap().login;
    let (id, now) = (login.id, logins.world.now());
    let page = Login {
        browser: Sighting {
            network: NetworkClass::Tor,
            ..sighting(TOR)
        },
        ..login
    };
    let other = Store::new(logins.world.items.clone(), logins.world.clock.clone());
    logins.world.items.interrupt(
        move |access| matches!(access, Access::Read(Key::Denials(..))),
        async move {
            let join = |current| join(current, &page, now);
            other.change(id, join).await.unwrap();
        },
    );
    let opened = logins.initiate_as(id, &mobile_token(1), None).unwrap();
    assert!(opened.is_joined);
    let stored = logins.world.login(id);
    assert_eq!(stored.browser.address.to_string(), TOR);
    assert_eq!(opened.phone(), stored.phone());
    assert_eq!(stored.phone().unwrap().risk.flags()[0], Flag::BrowserTor);
}
