//! Logins that the app's server opens for one user, with a page that only watches.

use std::time::Duration;

use countersign_conformance::samples::logins::{
    browser_key, browser_token, mobile_token, sealed, server,
};
use countersign_domain::login::{
    BrowserToken, DeviceToken, Login, LoginCreator, PhonePayload, READ_WINDOW, REDEEM_WINDOW,
    Refusal, Status,
};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::use_cases::logins::LoginError::Refused;
use countersign_domain::use_cases::logins::{CreateError, CreateRequest};
use countersign_proof::{AssociationPrivateKey, ProofClaims};

use super::host::{Logins, PHONE};
use super::proofs::{private_key, sign};

const CONTEXT: &str = "Pay 20 EUR";

fn creator(user: Option<&str>) -> LoginCreator {
    LoginCreator::Server {
        context: CONTEXT.parse().ok(),
        user: user.map(|user| user.parse().unwrap()),
    }
}

impl Logins {
    fn asking<'a>(&'a self, token: &'a BrowserToken, user: Option<&str>) -> CreateRequest<'a> {
        CreateRequest {
            creator: creator(user),
            browser_key: Some(browser_key()),
            ..self.request(token)
        }
    }

    /// Opens an approval for this user, and returns it with the token of its page.
    fn approval(&self, user: Option<&str>) -> (Login, DeviceToken) {
        let token = browser_token(7);
        let created = self.send(self.asking(&token, user)).unwrap();
        let page = token.page_token().reveal();
        (created.login, page.parse::<DeviceToken>().unwrap())
    }

    /// Returns the answer of a phone that approves with this key.
    fn approved_by(&self, key: &AssociationPrivateKey, login: &Login) -> PhonePayload {
        let claims = ProofClaims {
            context: Some(CONTEXT),
            ..self.claims(login)
        };
        let proof = sign(key, &claims).proof().cloned();
        PhonePayload::new(sealed().payload().clone(), None, proof).unwrap()
    }

    fn status_of(&self, id: LoginId) -> Status {
        self.world.login(id).status(self.world.now())
    }
}

#[test]
fn page_token_watches_and_does_nothing_else() {
    let logins = Logins::new();
    let (login, page) = logins.approval(Some("zoe"));
    assert_eq!(
        logins.status(login.id, page.clone()).unwrap(),
        Status::Created
    );
    assert_eq!(
        logins.watch(login.id, page.clone(), 1).unwrap(),
        Status::Created
    );
    logins.initiate(login.id).unwrap();
    assert_eq!(logins.notifications(), 1);
    let payload = logins.approved_by(&private_key(1), &login);
    logins.confirm_with(login.id, payload).unwrap();
    assert_eq!(logins.status(login.id, page).unwrap(), Status::Confirmed);

    let text = browser_token(7).page_token().reveal();
    let presented = text.parse::<BrowserToken>().unwrap();
    let redeemed = logins.redeem(login.id, &presented);
    assert!(matches!(redeemed, Err(Refused(Refusal::Unknown))));
    let cancelled = logins.with(async |ports| {
        countersign_domain::use_cases::logins::cancel(ports, login.id, &presented).await
    });
    assert!(matches!(cancelled, Err(Refused(Refusal::Unknown))));
    // The page can neither join nor repeat the login.
    let joined = logins.send(CreateRequest {
        browser_key: Some(browser_key()),
        ..logins.request(&presented)
    });
    assert!(joined.is_ok_and(|other| other.login.id != login.id));
    let repeated = logins.send(logins.asking(&presented, Some("zoe")));
    assert!(matches!(repeated, Err(CreateError::Taken)));
    assert_eq!(logins.status_of(login.id), Status::Confirmed);
}

#[test]
fn login_of_a_page_has_no_page_token() {
    let logins = Logins::new();
    let opened = logins.create();
    let page = opened.token.page_token().reveal();
    let seen = logins.status(opened.login.id, page.parse::<DeviceToken>().unwrap());
    assert!(matches!(seen, Err(Refused(Refusal::Unknown))));
}

#[test]
fn stranger_who_names_another_user_changes_nothing() {
    let logins = Logins::new();
    let (login, page) = logins.approval(Some("zoe"));
    logins.watch(login.id, page, 1).unwrap();
    let refused = logins.initiate_as(login.id, &mobile_token(2), Some("max"));
    assert!(matches!(refused, Err(Refused(Refusal::UserMismatch))));
    assert_eq!(logins.world.login(login.id).phone(), None);
    let own = logins.initiate_as(login.id, &mobile_token(1), Some("zoe"));
    assert_eq!(own.unwrap().status(logins.world.now()), Status::Scanned);
    logins.notifications();
    // A second phone blocks a login, but not if it names a different user.
    let refused = logins.initiate_as(login.id, &mobile_token(2), Some("max"));
    assert!(matches!(refused, Err(Refused(Refusal::UserMismatch))));
    assert_eq!(logins.status_of(login.id), Status::Scanned);
    assert_eq!(logins.notifications(), 0);
    assert_eq!(logins.world.count("qr_second_phone"), 0);
    let payload = logins.approved_by(&private_key(1), &login);
    logins.confirm_with(login.id, payload).unwrap();
    // Ended approvals get the same answer as before.
    let late = logins.initiate_as(login.id, &mobile_token(2), Some("max"));
    assert!(matches!(late, Err(Refused(Refusal::Over))));
}

#[test]
fn phone_that_names_no_user_may_open_a_login_for_one_user() {
    for named in [None, Some("ANON"), Some("zoe")] {
        let logins = Logins::new();
        let (login, _) = logins.approval(Some("zoe"));
        let opened = logins.initiate_from(PHONE, login.id, &mobile_token(1), named);
        let opened = opened.unwrap();
        assert_eq!(opened.expected_user().unwrap().as_str(), "zoe");
    }
    // Any user may open a login without an expected user.
    let logins = Logins::new();
    let (login, _) = logins.approval(None);
    logins
        .initiate_as(login.id, &mobile_token(1), Some("max"))
        .unwrap();
}

#[test]
fn registered_key_of_another_user_approves_nothing() {
    let logins = Logins::new();
    let (zoe, max) = (private_key(1), private_key(2));
    logins.register(&zoe, "zoe");
    logins.register(&max, "max");
    let (login, _) = logins.approval(Some("zoe"));
    logins.initiate(login.id).unwrap();
    let others = logins.confirm_with(login.id, logins.approved_by(&max, &login));
    assert!(matches!(others, Err(Refused(Refusal::ProofMismatch))));
    // If the key is not registered, the proof itself names the user.
    let stranger = "max".parse().unwrap();
    let claims = ProofClaims {
        context: Some(CONTEXT),
        user: Some(&stranger),
        ..logins.claims(&login)
    };
    let proof = sign(&private_key(3), &claims).proof().cloned();
    let payload = PhonePayload::new(sealed().payload().clone(), None, proof).unwrap();
    let others = logins.confirm_with(login.id, payload);
    assert!(matches!(others, Err(Refused(Refusal::ProofMismatch))));
    assert_eq!(logins.status_of(login.id), Status::Scanned);
    let own = logins.approved_by(&zoe, &login);
    logins.confirm_with(login.id, own).unwrap();
    let verified = logins.world.login(login.id);
    assert_eq!(verified.verified_user().unwrap().user.as_str(), "zoe");
}

#[test]
fn approval_stays_confirmed_for_ten_minutes() {
    let logins = Logins::new();
    let (login, _) = logins.approval(Some("zoe"));
    logins.initiate(login.id).unwrap();
    let payload = logins.approved_by(&private_key(1), &login);
    logins.confirm_with(login.id, payload).unwrap();
    logins
        .world
        .pass(READ_WINDOW.saturating_sub(Duration::from_millis(1)));
    assert_eq!(logins.status_of(login.id), Status::Confirmed);
    logins.world.pass(Duration::from_millis(1));
    let found = logins.world.login(login.id);
    assert_eq!(found.status(logins.world.now()), Status::Expired);
    assert!(logins.world.now() < found.purge_at, "it is kept until then");

    // Without a context, the payload waits a minute for the browser, as before.
    let token = browser_token(8);
    let request = CreateRequest {
        creator: server(None),
        ..logins.request(&token)
    };
    let id = logins.send(request).unwrap().login.id;
    logins.initiate(id).unwrap();
    logins.confirm(id, 1, "yes").unwrap();
    logins.world.pass(REDEEM_WINDOW);
    assert_eq!(logins.status_of(id), Status::Expired);
}

#[test]
fn repeated_request_names_the_same_user() {
    let logins = Logins::new();
    let token = browser_token(7);
    let first = logins.send(logins.asking(&token, Some("zoe"))).unwrap();
    let again = logins.send(logins.asking(&token, Some("zoe"))).unwrap();
    assert_eq!(again.login, first.login);
    for other in [Some("max"), None] {
        let refused = logins.send(logins.asking(&token, other));
        assert!(matches!(refused, Err(CreateError::Taken)), "{other:?}");
    }
    let anonymous = logins.send(logins.asking(&browser_token(9), Some("ANON")));
    assert!(matches!(anonymous, Err(CreateError::Anonymous)));
}
