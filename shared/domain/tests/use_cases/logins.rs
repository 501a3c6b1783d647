mod check_code;
mod host;
mod names;
mod proofs;
mod server;
mod wire;

use countersign_domain::login::Refusal;
use countersign_domain::use_cases::logins::LoginError::Refused;
use std::sync::atomic::Ordering;

use countersign_conformance::samples::app_id;
use countersign_conformance::samples::logins::{browser_token, login_id, mobile_token, watcher};
use countersign_domain::app::login::PayloadEncryption;
use countersign_domain::login::risk::{DENIAL_WINDOW, Flag, RiskStatus};
use countersign_domain::login::sighting::{CountryCode, Located, NetworkClass, Place};
use countersign_domain::login::{Encryption, Login, REDEEMABLE, SCANNED, Status, UNSCANNED};
use countersign_domain::primitives::ids::LoginKind;
use countersign_domain::use_cases::logins::{CreateError, CreateRequest, Visitor};

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
    assert_eq!(logins.pokes(), 1);
    logins.confirm(id, 1, "yes").unwrap();
    assert_eq!(logins.pokes(), 1);
    assert_eq!(logins.status(id, &token).unwrap(), Status::Confirmed);
    assert_eq!(logins.redeem(id, &token).unwrap(), "yes");
    let again = logins.redeem(id, &token);
    assert!(matches!(again, Err(Refused(Refusal::Redeemed))));
    // A phone that did not receive the answer gets the same answer again.
    logins.confirm(id, 1, "yes").unwrap();
    for name in ["qr_created", "qr_scanned", "qr_confirmed", "qr_redeemed"] {
        assert_eq!(logins.world.count(name), 1, "{name}");
    }
}

#[test]
fn unlisted_origin_cannot_create_a_login() {
    let logins = Logins::new();
    for origin in [
        None,
        Some(""),
        Some("null"),
        Some("https://evil.example"),
        Some("http://shop.example"),
        Some("https://shop.example.evil.example"),
        Some("https://shop.example:8443"),
    ] {
        let refused = logins.create_from(origin, BROWSER);
        assert!(
            matches!(refused, Err(CreateError::OriginNotAllowed)),
            "{origin:?}"
        );
    }
    assert_eq!(logins.world.items.items.every::<Login>(), []);
    assert_eq!(logins.world.count("qr_origin_refused"), 7);
    assert!(
        logins
            .create_from(Some("http://localhost:3000"), BROWSER)
            .is_ok()
    );
}

#[test]
fn app_without_a_link_host_cannot_create_a_login() {
    let mut logins = Logins::new();
    logins.app.login.link_host = None;
    let refused = logins.create_from(Some(SHOP), BROWSER);
    assert!(matches!(refused, Err(CreateError::NoLinkHost)));
}

#[test]
fn login_without_a_key_is_created_only_where_the_app_allows_it() {
    let mut logins = Logins::new();
    let plain = logins.create().login;
    assert_eq!(plain.id.kind(), LoginKind::Plain);
    assert_eq!(plain.encryption, Encryption::Plain);
    logins.app.login.payload_encryption = PayloadEncryption::Required;
    let refused = logins.create_from(Some(SHOP), BROWSER);
    assert!(matches!(refused, Err(CreateError::KeyRequired)));
}

#[test]
fn second_phone_blocks_the_login_and_is_counted() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.login.id;
    logins.watch(id, &created.token, 1).unwrap();
    logins.initiate(id).unwrap();
    logins.initiate(id).unwrap();
    assert_eq!(logins.pokes(), 1, "a repeated scan changes nothing");
    let second = logins.initiate_as(id, &mobile_token(2), None);
    assert!(matches!(second, Err(Refused(Refusal::SecondPhone))));
    assert_eq!(logins.pokes(), 1);
    assert_eq!(logins.world.count("qr_second_phone"), 1);
    let first = logins.confirm(id, 1, "yes");
    assert!(matches!(first, Err(Refused(Refusal::Is(Status::Blocked)))));
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
    assert!(matches!(got, Err(Refused(Refusal::Is(Status::Blocked)))));
    assert_eq!(logins.world.count("qr_forbidden_confirmed"), 1);
}

#[test]
fn repeated_denials_warn_about_the_address_and_lock_out_no_name() {
    let logins = Logins::new();
    for _ in 0..3 {
        let id = logins.create().login.id;
        logins
            .initiate_as(id, &mobile_token(1), Some("victim"))
            .unwrap();
        logins.deny(id, 1).unwrap();
        logins.deny(id, 1).unwrap();
    }
    let flags = |address: &str, user: Option<&str>| {
        let id = logins.create_from(Some(SHOP), address).unwrap().login.id;
        let opened = logins.initiate_as(id, &mobile_token(1), user).unwrap();
        opened.phone().unwrap().risk.flags().to_vec()
    };
    assert_eq!(flags(BROWSER, Some("me")), [Flag::Denials]);
    assert_eq!(flags(BROWSER, None), [Flag::Denials, Flag::NameUnchecked]);
    // The denied name can still log in from any other address.
    let victims = flags("203.0.113.99", Some("victim"));
    assert_eq!(victims, flags("203.0.113.99", Some("nobody")));
    assert_eq!(victims, []);
    logins.world.pass(DENIAL_WINDOW);
    assert_eq!(flags(BROWSER, Some("me")), []);
    assert_eq!(logins.world.count("qr_denied"), 3);
}

#[test]
fn browser_is_new_only_beside_those_that_are_remembered() {
    let logins = Logins::new();
    let other = "203.0.113.99";
    for (user, address, expected) in [
        // A warning at the first login of everybody would teach people to ignore it.
        ("me", BROWSER, &[][..]),
        ("me", BROWSER, &[]),
        ("me", other, &[Flag::NewBrowser]),
        ("me", other, &[]),
        ("you", other, &[]),
    ] {
        let id = logins.create_from(Some(SHOP), address).unwrap().login.id;
        let opened = logins
            .initiate_as(id, &mobile_token(1), Some(user))
            .unwrap();
        let risk = &opened.phone().unwrap().risk;
        assert_eq!(risk.flags(), expected, "{user} {address}");
        logins.confirm(id, 1, "yes").unwrap();
    }
}

#[test]
fn strangers_get_the_not_found_answer() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.login.id;
    let foreign = logins.create().token;
    let absent = login_id(9);
    for (id, token) in [(id, &foreign), (absent, &created.token)] {
        assert!(matches!(
            logins.status(id, token),
            Err(Refused(Refusal::Unknown))
        ));
        assert!(matches!(
            logins.watch(id, token, 1),
            Err(Refused(Refusal::Unknown))
        ));
        assert!(matches!(
            logins.redeem(id, token),
            Err(Refused(Refusal::Unknown))
        ));
        assert!(matches!(
            logins.cancel(id, token),
            Err(Refused(Refusal::Unknown))
        ));
    }
    assert!(matches!(
        logins.confirm(id, 1, "yes"),
        Err(Refused(Refusal::Unknown))
    ));
    assert!(matches!(logins.deny(id, 1), Err(Refused(Refusal::Unknown))));
    assert!(matches!(
        logins.initiate(absent),
        Err(Refused(Refusal::Unknown))
    ));
    logins.world.pass(UNSCANNED);
    assert!(matches!(
        logins.initiate(id),
        Err(Refused(Refusal::Unknown))
    ));
}

#[test]
fn key_of_another_app_opens_nothing() {
    let mut logins = Logins::new();
    let id = logins.create().login.id;
    logins.app.id = app_id("other");
    assert!(matches!(
        logins.initiate(id),
        Err(Refused(Refusal::Unknown))
    ));
}

#[test]
fn expiry_is_reported_only_to_the_logins_own_devices() {
    let logins = Logins::new();
    let created = logins.create();
    let (id, token) = (created.login.id, created.token);
    logins.initiate(id).unwrap();
    logins.world.pass(SCANNED);
    assert!(matches!(
        logins.confirm(id, 1, "yes"),
        Err(Refused(Refusal::Expired))
    ));
    assert!(matches!(logins.deny(id, 1), Err(Refused(Refusal::Expired))));
    assert!(matches!(
        logins.initiate(id),
        Err(Refused(Refusal::Expired))
    ));
    assert!(matches!(
        logins.redeem(id, &token),
        Err(Refused(Refusal::Expired))
    ));
    assert!(matches!(
        logins.cancel(id, &token),
        Err(Refused(Refusal::Expired))
    ));
    assert_eq!(logins.status(id, &token).unwrap(), Status::Expired);

    let created = logins.create();
    let (id, token) = (created.login.id, created.token);
    logins.initiate(id).unwrap();
    logins.confirm(id, 1, "yes").unwrap();
    logins.world.pass(REDEEMABLE);
    assert!(matches!(
        logins.redeem(id, &token),
        Err(Refused(Refusal::Expired))
    ));
}

#[test]
fn cancelled_login_cannot_be_confirmed() {
    let logins = Logins::new();
    let created = logins.create();
    let id = created.login.id;
    logins.initiate(id).unwrap();
    logins.cancel(id, &created.token).unwrap();
    let late = logins.confirm(id, 1, "yes");
    assert!(matches!(late, Err(Refused(Refusal::Is(Status::Cancelled)))));
    let again = logins.cancel(id, &created.token);
    assert!(matches!(
        again,
        Err(Refused(Refusal::Is(Status::Cancelled)))
    ));
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
    assert_eq!(logins.pokes(), 1);
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
