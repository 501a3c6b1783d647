//! Logins that the app's server opens, reads and cancels.

use countersign_conformance::samples::app_id;
use countersign_conformance::samples::logins::{
    browser_key, browser_token, mobile_token, sealed, server, watcher,
};
use countersign_domain::app::login::PayloadEncryption;
use countersign_domain::login::Refusal;
use countersign_domain::login::identity::{Vouched, sealed_id};
use countersign_domain::login::risk::{DENIALS, Flag};
use countersign_domain::login::sighting::{NetworkClass, Place};
use countersign_domain::login::{Login, PhonePayload, Status};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::use_cases::logins;
use countersign_domain::use_cases::logins::LoginError::Refused;
use countersign_domain::use_cases::logins::{CreateError, CreateRequest, LoginError};
use countersign_proof::ProofClaims;

use super::host::{BROWSER, Logins, SHOP, visitor};
use super::proofs::{private_key, sign};

const CONTEXT: &str = "Pay 20 EUR to Zoë";

/// Creates a login of browser `n`, which has a key, as a server does.
fn create(logins: &Logins, n: u8, context: Option<&str>) -> Login {
    let token = browser_token(n);
    let mut key = *browser_key().as_bytes();
    key[64] = n;
    let request = CreateRequest {
        opener: server(context),
        browser_key: countersign_domain::login::BrowserPublicKey::from_bytes(key).ok(),
        // The demo host knows this address as an exit of Tor.
        browser: visitor("192.0.2.66"),
        ..logins.request(&token)
    };
    logins.send(request).unwrap().login
}

fn cancel(logins: &Logins, id: LoginId, app: &str) -> Result<(), LoginError> {
    let app = app_id(app);
    logins.with(async |ports| logins::cancel_for_app(ports, id, &app).await)
}

#[test]
fn id_vouches_for_the_context() {
    let logins = Logins::new();
    let login = create(&logins, 4, Some(CONTEXT));
    let vouched = |context| Vouched {
        app_key: &logins.app.app_key,
        origin: &login.origin,
        context,
    };
    assert_eq!(login.id, sealed_id(vouched(CONTEXT), &browser_key()));
    assert_ne!(login.id, sealed_id(vouched(""), &browser_key()));
    let opened = logins.initiate(login.id).unwrap();
    assert_eq!(opened.context().unwrap().as_str(), CONTEXT);
}

#[test]
fn context_needs_a_key_whatever_the_setting() {
    let mut logins = Logins::new();
    for setting in PayloadEncryption::ALL {
        logins.app.login.payload_encryption = setting;
        let token = browser_token(1);
        let refused = logins.send(CreateRequest {
            opener: server(Some(CONTEXT)),
            ..logins.request(&token)
        });
        assert!(matches!(refused, Err(CreateError::KeyRequiredByContext)));
    }
}

#[test]
fn server_names_an_origin_of_the_app() {
    let logins = Logins::new();
    let token = browser_token(1);
    for origin in [None, Some("https://evil.example")] {
        let refused = logins.send(CreateRequest {
            opener: server(None),
            origin,
            ..logins.request(&token)
        });
        assert!(matches!(refused, Err(CreateError::OriginNotAllowed)));
    }
}

#[test]
fn login_with_a_context_is_confirmed_with_a_proof_only() {
    let logins = Logins::new();
    let login = create(&logins, 1, Some(CONTEXT));
    let id = login.id;
    logins.initiate(id).unwrap();
    let token = mobile_token(1);
    let bare = logins.with(async |ports| logins::confirm(ports, id, &token, sealed()).await);
    assert!(matches!(bare, Err(Refused(Refusal::ProofRequired))));
    for context in [None, Some("Pay 2 EUR"), Some(CONTEXT)] {
        let claims = ProofClaims {
            context,
            ..logins.claims(&login)
        };
        let proof = sign(&private_key(1), &claims).proof().cloned();
        let proven = PhonePayload::new(sealed().payload().clone(), None, proof).unwrap();
        let outcome = logins.with(async |ports| logins::confirm(ports, id, &token, proven).await);
        match context {
            Some(CONTEXT) => outcome.unwrap(),
            _ => assert!(matches!(outcome, Err(Refused(Refusal::ProofInvalid)))),
        }
    }
}

/// The address of a server is in a data centre, and the same for everybody whom it asks.
#[test]
fn address_of_the_server_is_no_risk() {
    let logins = Logins::new();
    for n in 1..=u8::try_from(DENIALS).unwrap() + 1 {
        let login = create(&logins, n, None);
        assert_eq!(login.browser.network, NetworkClass::Unknown);
        assert_eq!(login.browser.place, Place::default());
        let opened = logins.initiate(login.id).unwrap();
        let flags = opened.phone().unwrap().risk.flags();
        assert_eq!(flags, [Flag::NameUnchecked]);
        logins.deny(login.id, 1).unwrap();
    }
}

#[test]
fn app_reads_and_cancels_its_own_logins_only() {
    let logins = Logins::new();
    let opened = logins.create_from(Some(SHOP), BROWSER).unwrap();
    let id = opened.login.id;
    logins.watch(id, &opened.token, 1).unwrap();
    let inspect = |app: &str| {
        let app = app_id(app);
        logins.with(async |ports| logins::inspect(ports, id, &app).await)
    };
    assert!(matches!(
        inspect("stranger"),
        Err(Refused(Refusal::Unknown))
    ));
    let refused = cancel(&logins, id, "stranger");
    assert!(matches!(refused, Err(Refused(Refusal::Unknown))));
    let seen = inspect("demo").unwrap();
    assert_eq!((seen.login.id, seen.status), (id, Status::Created));
    cancel(&logins, id, "demo").unwrap();
    assert_eq!(inspect("demo").unwrap().status, Status::Cancelled);
    // The browser that waits is told.
    assert_eq!(*logins.push.poked.lock().unwrap(), [watcher(1)]);
    let again = cancel(&logins, id, "demo");
    assert!(matches!(
        again,
        Err(Refused(Refusal::Is(Status::Cancelled)))
    ));
}
