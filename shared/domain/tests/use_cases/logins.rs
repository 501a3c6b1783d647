mod approvals;
mod host;
mod joined;
mod names;
mod proofs;
mod tests;

use countersign_domain::login::Refusal;
use countersign_domain::use_cases::logins::LoginError::Refused;
use std::sync::atomic::Ordering;

use countersign_conformance::samples::logins::{
    browser_key, browser_token, mobile_token, server, watcher,
};
use countersign_domain::login::risk::{Flag, RiskStatus, SUSPICIOUS_DENIALS};
use countersign_domain::login::sighting::{CountryCode, Located, NetworkClass, Place};
use countersign_domain::login::{Login, Status};
use countersign_domain::use_cases::logins::{CreateRequest, Visitor};

use crate::world::now_or_never;
use host::{BROWSER, Logins, Opened, SHOP, visitor};

#[test]
fn login_leads_from_the_code_to_the_payload() {
    let logins = Logins::new();
    let Opened { login, link, token } = logins.create();
    let id = login.id;
    assert_eq!(
        link.to_string(),
        format!("https://login.shop.example?sessionId={id}")
    );
    assert_eq!(logins.watch(id, &token, 1).unwrap(), Status::Created);
    let opened = logins.initiate(id).unwrap();
    assert_eq!(opened.origin.as_str(), SHOP);
    assert_eq!(logins.status(id, &token).unwrap(), Status::Scanned);
    assert_eq!(logins.notifications(), 1);
    logins.confirm(id, 1, "yes").unwrap();
    assert_eq!(logins.notifications(), 1);
    assert_eq!(logins.status(id, &token).unwrap(), Status::Confirmed);
    assert_eq!(logins.redeem(id, &token).unwrap(), "yes");
    let again = logins.redeem(id, &token);
    assert!(matches!(again, Err(Refused(Refusal::Redeemed))));
    // A phone that did not receive the answer gets the same answer again.
    logins.confirm(id, 1, "yes").unwrap();
    for name in ["qr_created", "qr_scanned", "qr_confirmed", "qr_redeemed"] {
        let labels = logins.world.metrics.labels(name);
        assert_eq!(labels, [["demo", "", ""].map(str::to_owned)], "{name}");
    }
}

#[test]
fn settings_that_became_stricter_end_open_logins_at_the_next_step() {
    let mut logins = Logins::new();
    let [unscanned, scanned, confirmed] = [(); 3].map(|()| logins.create());
    for opened in [&scanned, &confirmed] {
        logins.initiate(opened.login.id).unwrap();
    }
    logins.confirm(confirmed.login.id, 1, "yes").unwrap();
    logins
        .watch(confirmed.login.id, &confirmed.token, 1)
        .unwrap();
    logins.set(|login| login.origins.clear());

    let opened = logins.initiate(unscanned.login.id);
    assert!(matches!(opened, Err(Refused(Refusal::Over))));
    let answered = logins.confirm(scanned.login.id, 1, "yes");
    assert!(matches!(answered, Err(Refused(Refusal::Withdrawn))));
    let redeemed = logins.redeem(confirmed.login.id, &confirmed.token);
    assert!(matches!(redeemed, Err(Refused(Refusal::Withdrawn))));
    for opened in [&unscanned, &scanned, &confirmed] {
        let status = logins.status(opened.login.id, &opened.token);
        assert_eq!(status.unwrap(), Status::Cancelled);
    }
    assert_eq!(logins.notifications(), 1);
    assert_eq!(logins.world.count("qr_cancelled"), 3);
}

#[test]
fn login_of_a_deleted_app_ends_at_the_next_step() {
    let logins = Logins::new();
    let opened = logins.create();
    logins.initiate(opened.login.id).unwrap();
    logins.confirm(opened.login.id, 1, "yes").unwrap();
    let (store, now) = (&logins.world.store, logins.world.now());
    now_or_never(store.delete_app(&logins.app.id, now)).unwrap();
    let redeemed = logins.redeem(opened.login.id, &opened.token);
    assert!(matches!(redeemed, Err(Refused(Refusal::Withdrawn))));
}

#[test]
fn second_phone_blocks_the_login_and_is_counted() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.login.id;
    logins.watch(id, &created.token, 1).unwrap();
    logins.initiate(id).unwrap();
    logins.initiate(id).unwrap();
    assert_eq!(logins.notifications(), 1, "a repeated scan changes nothing");
    let second = logins.initiate_as(id, &mobile_token(2), None);
    assert!(matches!(second, Err(Refused(Refusal::SecondPhone))));
    assert_eq!(logins.notifications(), 1);
    assert_eq!(logins.world.count("qr_second_phone"), 1);
    let first = logins.confirm(id, 1, "yes");
    assert!(matches!(
        first,
        Err(Refused(Refusal::WrongStatus(Status::Blocked)))
    ));
    assert_eq!(logins.status(id, &created.token).unwrap(), Status::Blocked);
}

#[test]
fn login_of_a_browser_on_tor_cannot_be_confirmed() {
    let logins = Logins::new();
    let created = logins.create_from(Some(SHOP), "192.0.2.66").unwrap();
    let id = created.login.id;
    let opened = logins
        .initiate_as(id, &mobile_token(1), Some("me"))
        .unwrap();
    let risk = &opened.phone().unwrap().risk;
    assert_eq!(
        (risk.status(), risk.flags()),
        (RiskStatus::Deny, &[Flag::BrowserTor][..])
    );
    for _ in 0..2 {
        let forced = logins.confirm(id, 1, "yes");
        assert!(matches!(forced, Err(Refused(Refusal::Forbidden))));
    }
    let got = logins.redeem(id, &created.token);
    assert!(matches!(
        got,
        Err(Refused(Refusal::WrongStatus(Status::Blocked)))
    ));
    assert_eq!(logins.world.count("qr_forbidden_confirmed"), 1);
}

#[test]
fn name_beyond_the_limit_is_not_remembered_but_logs_in() {
    let logins = Logins::new();
    let log_in = |name, browser| {
        let created = logins.create_from(Some(SHOP), browser).unwrap();
        let id = created.login.id;
        let opened = logins.initiate_as(id, &mobile_token(1), Some(name));
        logins.confirm(id, 1, "yes").unwrap();
        assert_eq!(logins.redeem(id, &created.token).unwrap(), "yes");
        opened.unwrap().phone().unwrap().risk.flags().to_vec()
    };
    let (one, other) = (BROWSER, "203.0.113.99");
    let counted = || logins.names.counted.load(Ordering::SeqCst);
    assert_eq!(log_in("zoe", one), []);
    assert_eq!(counted(), 1);
    assert_eq!(
        log_in("zoe", other),
        [Flag::NewBrowser],
        "the name is known"
    );
    assert_eq!(counted(), 1, "a known name does not count");

    logins.names.full.store(true, Ordering::SeqCst);
    for browser in [one, other] {
        let flags = log_in("max", browser);
        assert_eq!(flags, [], "the new name is not remembered");
    }
    assert_eq!(logins.world.count("qr_name_limited"), 2);
    log_in("zoe", one);
    assert_eq!(
        logins.world.count("qr_name_limited"),
        2,
        "known names still log in"
    );
    assert_eq!(logins.world.count("qr_history_failed"), 0);
}

#[test]
fn failing_push_or_history_does_not_fail_the_login() {
    let logins = Logins::new();
    logins.break_history();
    let created = logins.create();
    let (id, token) = (created.login.id, created.token);
    logins.watch(id, &token, 1).unwrap();
    logins.push.broken.store(true, Ordering::SeqCst);
    logins
        .initiate_as(id, &mobile_token(1), Some("me"))
        .unwrap();
    logins.confirm(id, 1, "yes").unwrap();
    assert_eq!(logins.redeem(id, &token).unwrap(), "yes");
    assert_eq!(logins.world.count("qr_push_failed"), 3);
    assert_eq!(logins.world.count("qr_history_failed"), 1);

    let id = logins.create().login.id;
    logins.initiate(id).unwrap();
    logins.deny(id, 1).unwrap();
    assert_eq!(logins.world.count("qr_history_failed"), 2);
}

#[test]
fn closed_connection_is_notified_only_once() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.login.id;
    for n in [1, 2] {
        logins.watch(id, &created.token, n).unwrap();
    }
    logins.push.gone.lock().unwrap().insert(watcher(1));
    logins.initiate(id).unwrap();
    assert_eq!(logins.notifications(), 1);
    assert_eq!(logins.world.login(id).watchers, [watcher(2)]);
}

#[test]
fn place_sent_with_the_request_is_kept_and_its_network_is_looked_up() {
    let logins = Logins::new();
    let place = Place {
        country: "FR".parse::<CountryCode>().ok(),
        ..Place::default()
    };
    let token = browser_token(1);
    let request = CreateRequest {
        browser: Visitor {
            located: Located {
                place: place.clone(),
                network: NetworkClass::Unknown,
            },
            ..visitor("192.0.2.66")
        },
        ..logins.request(&token)
    };
    let created = logins.send(request).unwrap();
    assert_eq!(created.login.browser.place, place);
    assert_eq!(created.login.browser.network, NetworkClass::Tor);
    let opened = logins.initiate(created.login.id).unwrap();
    assert_eq!(opened.phone().unwrap().risk.status(), RiskStatus::Deny);
}

/// Creates a login for browser `n`, which has a key, as the app's server.
fn created_by_a_server(logins: &Logins, n: u8) -> Login {
    let token = browser_token(n);
    let mut key = *browser_key().as_bytes();
    key[64] = n;
    let request = CreateRequest {
        creator: server(None),
        browser_key: countersign_domain::login::BrowserPublicKey::from_bytes(key).ok(),
        // The demo host locates this address at a Tor exit.
        browser: visitor("192.0.2.66"),
        ..logins.request(&token)
    };
    logins.send(request).unwrap().login
}

/// A server's address is in a data center, and is the same for all its users.
#[test]
fn address_of_the_server_is_no_risk() {
    let logins = Logins::new();
    for n in 1..=u8::try_from(SUSPICIOUS_DENIALS).unwrap() + 1 {
        let login = created_by_a_server(&logins, n);
        assert_eq!(login.browser.network, NetworkClass::Unknown);
        assert_eq!(login.browser.place, Place::default());
        let opened = logins.initiate(login.id).unwrap();
        let flags = opened.phone().unwrap().risk.flags();
        assert_eq!(flags, [Flag::NameUnchecked]);
        logins.deny(login.id, 1).unwrap();
    }
}
