//! Documents of every kind and in every state.
#![allow(
    clippy::unwrap_used,
    reason = "an invalid sample is a bug in this file"
)]

use std::time::Duration;

use super::association_keys::{association_key, of_phone, passkey, verified as proven_user};
use super::confirmations::in_every_state;
use super::logins::{
    answer, answer_of, browser, check_code, clear_with_proof, denial, new_login, page_token, phone,
    receipt, sealed_login, sealed_with_proof, watcher,
};
use super::{
    MILLI, NOW, WHATSAPP, app, app_id, attempt, client_secret, key, login, openid, quotas,
    refused_types, senders, signature, whatsapp,
};
use countersign_domain::app::api_key::{ApiKeyRecord, KeyMode};
use countersign_domain::app::audit::{AuditEnd, AuditId, AuditRecord};
use countersign_domain::app::client_secret::ClientSecretRecord;
use countersign_domain::app::login::LoginsFrom;
use countersign_domain::app::{App, InboundProfile};
use countersign_domain::confirmation::text::traces::{
    ContentHash, KeptPart, NonceHash, TextKey, UsedNonce, keep_part,
};
use countersign_domain::delivery::Progress;
use countersign_domain::login::association_key::test_keys::register_test;
use countersign_domain::login::association_key::transitions::revoke;
use countersign_domain::login::risk::{BrowserMark, ConfirmedLogin, Denials, Flag, PersonHistory};
use countersign_domain::login::sighting::{
    Coordinates, NetworkClass, PlaceCredit, Sighting, UserAgent,
};
use countersign_domain::login::transitions::{confirm, deny, initiate, redeem as redeem_with};
use countersign_domain::login::{
    AssociationKey, BlockReason, Context, DenyReason, KeyKind, Login, LoginCreator,
    State as LoginState,
};
use countersign_domain::login::{BrowserBinding, OpenIdPage, ReturnToken};
use countersign_domain::primitives::day::Day;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::store::{
    AppDocument, Candidates, Document, Entity as _, Key, KeyCount, KeyOwner, KeyUse, OwnerKeys,
};
use countersign_domain::web::address_block::AddressBlock;
use countersign_domain::web::callback_url::{CallbackOrigin, CallbackUrl};

/// Returns documents of every kind and in every state, each with the name of its golden file.
#[must_use]
pub fn documents() -> Vec<(String, Key, Document)> {
    let mut all = Vec::new();
    let mut add = |name: &str, key, document| all.push((name.to_owned(), key, document));
    for (name, item) in in_every_state() {
        let key = Key::Confirmation(item.id);
        add(&format!("confirmation-{name}"), key, item.into_document());
    }
    for (name, item) in logins() {
        let key = Key::Login(item.id);
        add(&format!("login-{name}"), key, item.into_document());
    }
    let revoked = ApiKeyRecord {
        revoked_at: Some(NOW),
        ..key(2)
    };
    let present = apps().into_iter().map(|(name, app)| (name, app, None));
    for (name, app, deleted_at) in present.chain([("deleted", app("old"), Some(NOW))]) {
        let (place, keys) = (Key::App(app.id.clone()), vec![key(1), revoked.clone()]);
        let document = AppDocument {
            app,
            keys,
            client_secrets: Vec::new(),
            deleted_at,
        };
        add(&format!("app-{name}"), place, document.into_document());
    }
    for (name, document) in [
        ("app-key-with-label", app_with_labelled_key()),
        ("app-client-secrets", app_with_secrets()),
    ] {
        let place = Key::App(document.app.id.clone());
        add(name, place, document.into_document());
    }
    let used = KeyUse { day: Day::of(NOW) };
    add(
        "api-key-use",
        Key::KeyUse(key(1).hash),
        used.into_document(),
    );
    for (name, key, document) in pointers()
        .into_iter()
        .chain(super::openid::documents())
        .chain(super::phone_registrations::documents())
    {
        add(name, key, document);
    }
    let owner = association_key("shop", "zoë@example.com", 1).owner_key();
    for (name, key, document) in association_keys() {
        add(name, key, document);
    }
    let apps = apps();
    let profile = InboundProfile::from_apps(apps.iter().map(|(_, app)| app));
    add("profile", Key::Profile, profile.into_document());
    let block = AddressBlock::from_address("203.0.113.7".parse().unwrap());
    let denied = Key::Denials(app_id("shop"), block);
    let one = Denials::default().with(NOW);
    add("denials-one", denied.clone(), one.clone().into_document());
    let three = one.with(NOW.plus(MILLI)).with(NOW.plus(MILLI * 2));
    add("denials-all", denied, three.into_document());
    let somewhere = Coordinates::from_degrees(-89.9999, 0.0001).ok();
    let nowhere = PersonHistory::default().with(confirmed_login(1, None));
    add(
        "person-without-a-place",
        Key::Person(owner),
        nowhere.clone().into_document(),
    );
    let person = nowhere.with(confirmed_login(2, somewhere));
    add(
        "person-with-a-place",
        Key::Person(owner),
        person.into_document(),
    );
    let taken = UsedNonce {
        content: ContentHash([7; 32]),
        purge_at: NOW.plus(Duration::from_hours(400 * 24)),
    };
    add(
        "nonce",
        Key::Nonce(NonceHash([1; 32])),
        taken.into_document(),
    );
    let part = |number: u8| KeptPart {
        number,
        message_id: format!("message-{number}"),
        text: "Grüße: CS-7Q2M".to_owned(),
    };
    let kept = Key::Text(TextKey([2; 32]));
    let one = keep_part(None, part(2), NOW).unwrap();
    add("text-one-part", kept.clone(), one.clone().into_document());
    let two = keep_part(Some(&one), part(1), NOW).unwrap();
    add("text-two-parts", kept, two.into_document());
    for (name, record) in audit_records() {
        let (at, nonce) = (record.at, [3; 8]);
        let key = Key::Audit(AuditId { at, nonce });
        add(&format!("audit-{name}"), key, record.into_document());
    }
    all
}

/// Returns the pointers to an app: its name, prefixes and the like.
fn pointers() -> [(&'static str, Key, Document); 3] {
    let owner = KeyOwner {
        app: app_id("shop"),
    };
    let candidates = Candidates {
        apps: [app_id("shop"), app_id("shop-eu")].into(),
    }
    .into_document();
    let host = "login.shop.example".parse().unwrap();
    [
        ("api-key", Key::ApiKey(key(1).hash), owner.into_document()),
        (
            "app-key",
            Key::AppKey(app("shop").app_key),
            candidates.clone(),
        ),
        ("link-host", Key::LinkHost(host), candidates),
    ]
}

fn audit_records() -> Vec<(&'static str, AuditRecord)> {
    let done = |key: Option<&str>| AuditEnd::Done {
        key: key.map(str::to_owned),
    };
    let ends = [
        ("pending", None),
        ("done", Some(done(None))),
        ("done-key", Some(done(Some("0123456789ab")))),
        (
            "refused",
            Some(AuditEnd::Refused("there is no app called shop".to_owned())),
        ),
        (
            "failed",
            Some(AuditEnd::Failed("store: replace".to_owned())),
        ),
    ];
    let record = |(name, end)| (name, AuditRecord { end, ..asked(NOW) });
    ends.into_iter().map(record).collect()
}

/// Returns the audit record of a command that has not finished.
#[must_use]
pub fn asked(at: Timestamp) -> AuditRecord {
    let details = serde_json::json!({ "max_open": 5, "senders": ["GB=+447700900123"] });
    AuditRecord {
        at,
        by: "arn:aws:sts::123456789012:assumed-role/Operator/anna".to_owned(),
        action: "update_app".to_owned(),
        app: Some(app_id("shop")),
        details: details.as_object().cloned().unwrap(),
        end: None,
    }
}

fn confirmed_login(n: u8, coordinates: Option<Coordinates>) -> ConfirmedLogin {
    ConfirmedLogin {
        browser: BrowserMark::from_bytes([n; 16]),
        coordinates,
        at: NOW.plus(MILLI * u32::from(n)),
    }
}

/// Returns the association keys of users and of tests, and the documents that count and list them.
fn association_keys() -> [(&'static str, Key, Document); 8] {
    let active = association_key("shop", "zoë@example.com", 1);
    let (owner, shop) = (Key::OwnerKeys(active.owner_key()), active.app.clone());
    let place = Key::AssociationKey(shop.clone(), active.id);
    let tombstone = revoke(Some(active.clone()), NOW.plus(MILLI)).write.unwrap();
    let list = OwnerKeys {
        keys: [active.id].into(),
    };
    let none = OwnerKeys::default();
    let count = KeyCount { keys: 7 };
    let of_test = association_key("shop", "zoë@example.com", 2);
    let of_tests = register_test(None, of_test, NOW).write.unwrap();
    let of_browser = of_phone("shop", "zoë@example.com", 3, KeyKind::Browser, "My phone");
    let of_passkey = of_phone("shop", "zoë@example.com", 4, passkey(true), "スマホ");
    let place_of = |key: &AssociationKey| Key::AssociationKey(key.app.clone(), key.id);
    [
        (
            "association-key-active",
            place.clone(),
            active.into_document(),
        ),
        ("association-key-revoked", place, tombstone.into_document()),
        (
            "association-key-browser",
            place_of(&of_browser),
            of_browser.into_document(),
        ),
        (
            "association-key-passkey",
            place_of(&of_passkey),
            of_passkey.into_document(),
        ),
        ("owner-keys", owner.clone(), list.into_document()),
        ("owner-keys-none", owner, none.into_document()),
        (
            "key-count",
            Key::KeyCount(shop.clone()),
            count.into_document(),
        ),
        ("test-keys", Key::TestKeys(shop), of_tests.into_document()),
    ]
}

/// Returns logins in every state.
#[must_use]
pub fn logins() -> Vec<(&'static str, Login)> {
    let created = new_login(1);
    let mut sealed = sealed_login(1);
    let address = "2001:db8::7".parse().unwrap();
    let (agent, place) = (UserAgent::default(), created.browser.place.clone());
    sealed.browser = Sighting::new(address, agent, place, NetworkClass::Unknown);
    sealed.browser.place.credit = Some(PlaceCredit::DbIp);
    sealed.callback = CallbackUrl::from_stored("https://shop.example/logins").ok();
    sealed.watchers = vec![watcher(1), watcher(2)];
    let mut nameless = phone(1, &[], NOW);
    nameless.user = None;
    let open = |item: &Login, phone| {
        let opened = initiate(Some(item.clone()), &item.app, phone, NOW);
        opened.write.unwrap()
    };
    let redeem = |item: Login| {
        let redeemed = redeem_with(Some(item), &browser(1), &receipt(1), None, NOW);
        redeemed.write.unwrap()
    };
    let deny = |item: &Login, said| deny(Some(item.clone()), said, NOW).write.unwrap();
    let flags = [Flag::NewBrowser, Flag::DenialsRefused];
    let risky = open(&created, phone(1, &flags, NOW));
    let scanned = open(&sealed, nameless);
    let clear = |item: &Login, answer| {
        let opened = open(item, phone(1, &[], NOW));
        confirm(Some(opened), answer, NOW).write.unwrap()
    };
    let bare = clear(&created, answer(1, "yes"));
    let proven = clear(&created, answer_of(1, clear_with_proof("yes")));
    let mut strict = created.clone();
    strict.requires_proof = true;
    let mut answered = answer_of(1, clear_with_proof("yes"));
    answered.verified = Some(proven_user("zoë@example.com"));
    let verified = clear(&strict, answered);
    let mut told = created.clone();
    told.callback.clone_from(&sealed.callback);
    let told = clear(&told, answer(1, "yes"));
    let owed = confirm(
        Some(scanned.clone()),
        answer_of(1, sealed_with_proof()),
        NOW,
    );
    let owed = owed.write.unwrap();
    let mut claimed = owed.clone();
    if let Some(notice) = &mut claimed.notice {
        notice.delivery.attempts_claimed = 2;
        notice.delivery.attempts.push(attempt(1, 503));
        notice.delivery.signature = Some(signature(1));
        if let Progress::Pending { claimed_at, .. } = &mut notice.delivery.progress {
            *claimed_at = Some(NOW);
        }
    }
    let mut mismatch = denial(1, "");
    mismatch.reason = Some(DenyReason::KeyMismatch);
    let first = risky.phone().cloned().map(Box::new);
    let blocked = |reason| Login {
        state: LoginState::Blocked {
            phone: first.clone().unwrap(),
            at: NOW,
            reason,
        },
        ..risky.clone()
    };
    let cancelled = |phone| Login {
        state: LoginState::Cancelled { phone, at: NOW },
        ..created.clone()
    };
    let mut logins = with_tie();
    logins.extend(of_server());
    logins.extend([
        ("created", created.clone()),
        ("created-sealed", sealed),
        ("scanned", scanned.clone()),
        ("scanned-risky", risky.clone()),
        ("confirmed-clear", bare),
        ("confirmed-proven", proven.clone()),
        ("confirmed-verified", verified.clone()),
        ("confirmed-owed", owed.clone()),
        ("confirmed-claimed", claimed),
        ("consumed-clear", redeem(proven)),
        ("consumed-owed", redeem(told)),
        ("consumed-verified", redeem(verified)),
        ("consumed-sealed", redeem(owed)),
        ("denied", deny(&scanned, denial(1, "no"))),
        ("blocked-key-mismatch", deny(&scanned, mismatch)),
        ("blocked-second-phone", blocked(BlockReason::SecondPhone)),
        ("blocked-risk", blocked(BlockReason::Risk)),
        ("cancelled", cancelled(None)),
        ("cancelled-scanned", cancelled(first.clone())),
    ]);
    logins
}

/// Returns logins that the app's server opened.
fn of_server() -> Vec<(&'static str, Login)> {
    let by_server = |context: Option<&str>| Login {
        creator: LoginCreator::Server {
            context: context.map(|text| text.parse::<Context>().unwrap()),
            user: None,
        },
        ..sealed_login(1)
    };
    let for_user = Login {
        creator: LoginCreator::Server {
            context: "Pay 20 EUR".parse().ok(),
            user: "zoe@shop.example".parse().ok(),
        },
        page_token: Some(page_token(1)),
        ..sealed_login(1)
    };
    let test = Login {
        test: true,
        ..by_server(None)
    };
    vec![
        ("created-by-server", by_server(None)),
        (
            "created-with-context",
            by_server(Some("Pay 20 EUR\nto Zoë")),
        ),
        ("created-for-user", for_user),
        ("created-test", test),
    ]
}

/// Returns logins that are tied to the user's browser.
fn with_tie() -> Vec<(&'static str, Login)> {
    let mut checked = sealed_login(1);
    checked.requires_check_code = true;
    let mut showing = phone(1, &[], NOW);
    showing.binding = Some(BrowserBinding::CheckCode(check_code(7)));
    let app = checked.app.clone();
    let shown = initiate(Some(checked), &app, showing, NOW).write.unwrap();
    let unchecked = confirm(Some(shown.clone()), answer_of(1, sealed_with_proof()), NOW);
    let guess = |item: &Login, number| {
        let (own, code) = (
            browser(1),
            Some(BrowserBinding::CheckCode(check_code(number))),
        );
        let guessed = redeem_with(Some(item.clone()), &own, &receipt(1), code, NOW);
        guessed.write.unwrap()
    };
    let unchecked = unchecked.write.unwrap();
    let missed = guess(&guess(&unchecked, 0), 99);
    let mut returning = sealed_login(1);
    returning.return_url = "https://shop.example/sign-in".parse().ok();
    let mut back = phone(1, &[], NOW);
    back.binding = Some(BrowserBinding::Return(
        ReturnToken::from_bytes([7; 32]).hash(),
    ));
    let returning = initiate(Some(returning), &app, back, NOW).write.unwrap();
    let mut joined = sealed_login(1);
    joined.creator = LoginCreator::Server {
        context: None,
        user: None,
    };
    joined.is_joined = true;
    let openid = Login {
        openid: Some(OpenIdPage::from_bytes([7; 32])),
        origin: "https://countersign.example".parse().unwrap(),
        ..joined.clone()
    };
    vec![
        ("created-joined", joined),
        ("created-openid", openid),
        ("scanned-returning", returning),
        ("scanned-with-check-code", shown),
        ("confirmed-missed", missed.clone()),
        ("consumed-with-check-code", guess(&missed, 7)),
        ("blocked-check-code", guess(&missed, 1)),
    ]
}

/// Returns an app with a test key that has a label.
fn app_with_labelled_key() -> AppDocument {
    AppDocument {
        app: app("labelled"),
        keys: vec![ApiKeyRecord {
            mode: KeyMode::Test,
            label: "Staging, server 2".parse().ok(),
            ..key(3)
        }],
        client_secrets: Vec::new(),
        deleted_at: None,
    }
}

/// Returns an app with two client secrets, one of them revoked.
fn app_with_secrets() -> AppDocument {
    AppDocument {
        app: app("client"),
        keys: Vec::new(),
        client_secrets: vec![
            client_secret(1),
            ClientSecretRecord {
                revoked_at: Some(NOW),
                label: "Broker, form".parse().ok(),
                ..client_secret(2)
            },
        ],
        deleted_at: None,
    }
}

/// Returns an app with only the required fields, and one with all fields.
#[must_use]
pub fn apps() -> Vec<(&'static str, App)> {
    let mut full = app("full");
    full.senders = senders(&[(None, "12345"), (Some("GB"), "+447700900001")]);
    full.default_callback = CallbackUrl::from_stored("https://example.com/hook").ok();
    full.callback_origins = vec![CallbackOrigin::from_stored(
        "https://example.com".to_owned(),
    )];
    full.login = login();
    full.login.require_proof = true;
    full.login.logins_from = LoginsFrom::Server;
    full.login.check_code = true;
    full.quotas = quotas();
    full.whatsapp = Some(whatsapp(WHATSAPP));
    full.refused_types = refused_types();
    full.webhook_details = true;
    full.openid = openid();
    vec![("minimal", app("demo")), ("full", full)]
}
