//! Test logins: only test keys open them and their codes.

use countersign_conformance::samples::logins::{browser_token, mobile_token, server};
use countersign_domain::app::api_key::KeyMode;
use countersign_domain::app::scope::Scope;
use countersign_domain::delivery::transitions::HasDelivery as _;
use countersign_domain::login::risk::{Flag, SUSPICIOUS_DENIALS};
use countersign_domain::login::{BrowserToken, DeviceToken, Login, Refusal, Status};
use countersign_domain::primitives::ids::LoginId;
use countersign_domain::use_cases::logins::LoginError::Refused;
use countersign_domain::use_cases::logins::{
    self, CreateError, CreateRequest, InitiateRequest, LoginError,
};
use countersign_domain::web::callback_url::CallbackUrl;

use super::host::{BROWSER, Logins, PHONE, SHOP, visitor};

impl Logins {
    fn tested<'a>(&'a self, token: &'a BrowserToken) -> CreateRequest<'a> {
        CreateRequest {
            creator: server(None),
            test: true,
            ..self.request(token)
        }
    }

    /// Opens a login with a test key.
    fn test(&self, token: &BrowserToken) -> LoginId {
        self.send(self.tested(token)).unwrap().login.id
    }

    /// Opens the code as phone 1 of the app's own tests.
    fn initiate_test(&self, id: LoginId) -> Result<Login, LoginError> {
        let request = InitiateRequest {
            app: &self.app,
            id,
            token: &mobile_token(1),
            phone: visitor(PHONE),
            test: true,
            can_return: false,
            user: "zoe".parse().ok(),
        };
        let initiated = self.with(async |ports| logins::initiate(ports, request).await)?;
        Ok(initiated.login)
    }

    fn expire(&self, id: LoginId) -> Result<(), LoginError> {
        self.with(async |ports| logins::expire(ports, id, &self.app.id).await)
    }

    fn state(&self, id: LoginId) -> Status {
        self.world.login(id).status(self.world.now())
    }
}

#[test]
fn test_key_opens_only_codes_of_tests_and_phones_open_none() {
    let logins = Logins::new();
    let token = browser_token(1);
    let (test, live) = (logins.test(&token), logins.create().login.id);
    let phone = logins.initiate(test);
    assert!(matches!(phone, Err(Refused(Refusal::Unknown))));
    let of_test = logins.initiate_test(live);
    assert!(matches!(of_test, Err(Refused(Refusal::Unknown))));
    logins.initiate_test(test).unwrap();
    // A phone that photographed the code cannot block the login either.
    let second = logins.initiate_as(test, &mobile_token(2), None);
    assert!(matches!(second, Err(Refused(Refusal::Unknown))));
    logins.confirm(test, 1, "yes").unwrap();
    assert_eq!(logins.redeem(test, &token).unwrap(), "yes");
    logins.initiate(live).unwrap();
}

#[test]
fn test_counts_nowhere_and_leaves_no_history() {
    let mut logins = Logins::new();
    logins.set(|login| login.callback = CallbackUrl::from_stored("https://shop.example/l").ok());
    for n in 0..=u8::try_from(SUSPICIOUS_DENIALS).unwrap() {
        let token = browser_token(n);
        let id = logins.test(&token);
        // A page joins the login with the login's token, as usual.
        let joined = logins.send(logins.request(&token)).unwrap();
        assert!(joined.login.test && joined.login.is_joined);
        let opened = logins.initiate_test(id).unwrap();
        let flags = opened.phone().unwrap().risk.flags().to_vec();
        assert!(!flags.contains(&Flag::Denials), "{flags:?}");
        logins.deny(id, 1).unwrap();
        let body = logins.world.login(id).claimed().unwrap().body.unwrap();
        assert!(body.into_text().contains(r#""test":true"#));
    }
    let id = logins.test(&browser_token(99));
    logins.initiate_test(id).unwrap();
    logins.confirm(id, 1, "yes").unwrap();
    assert_eq!(
        logins
            .names
            .counted
            .load(std::sync::atomic::Ordering::SeqCst),
        0
    );
    assert!(logins.world.metrics.counted.lock().unwrap().is_empty());
    // The test does not affect the risk of a real login from the same places.
    let live = logins.create_from(Some(SHOP), BROWSER).unwrap().login.id;
    let opened = logins.initiate_as(live, &mobile_token(1), Some("zoe"));
    let flags = opened.unwrap().phone().unwrap().risk.flags().to_vec();
    assert!(!flags.contains(&Flag::Denials), "{flags:?}");
    logins.deny(live, 1).unwrap();
    let live = logins.world.login(live);
    let body = live.claimed().unwrap().body.unwrap().into_text();
    assert!(!body.contains("test"), "{body}");
}

#[test]
fn live_and_test_requests_are_not_the_same() {
    let logins = Logins::new();
    let token = browser_token(1);
    logins.test(&token);
    assert!(logins.send(logins.tested(&token)).is_ok());
    let live = CreateRequest {
        test: false,
        ..logins.tested(&token)
    };
    assert!(matches!(logins.send(live), Err(CreateError::Taken)));
}

#[test]
fn test_key_reaches_only_tests() {
    let logins = Logins::new();
    let (test, live) = (logins.test(&browser_token(1)), logins.create().login.id);
    let app = &logins.app.id;
    let of_tests = Scope {
        app,
        mode: KeyMode::Test,
    };
    let other = "other".parse().unwrap();
    for (scope, id, known) in [
        (of_tests, test, true),
        (of_tests, live, false),
        (Scope::live(app), test, true),
        (Scope::live(app), live, true),
        (Scope::live(&other), test, false),
    ] {
        let seen = logins.with(async |ports| logins::inspect(ports, id, scope).await);
        assert_eq!(seen.is_ok(), known);
        let cancelled = logins.with(async |ports| logins::cancel_for_app(ports, id, scope).await);
        match cancelled {
            Err(Refused(Refusal::Unknown)) => assert!(!known),
            Ok(()) | Err(Refused(Refusal::WrongStatus(Status::Cancelled))) => assert!(known),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn expired_test_answers_what_comes_late() {
    let logins = Logins::new();
    let token = browser_token(1);
    let scanned = logins.test(&token);
    logins.initiate_test(scanned).unwrap();
    logins.watch(scanned, &token, 1).unwrap();
    for _ in 0..2 {
        logins.expire(scanned).unwrap();
        assert_eq!(logins.state(scanned), Status::Expired);
    }
    assert_eq!(logins.notifications(), 1, "the page is told once");
    let late = logins.confirm(scanned, 1, "yes");
    assert!(matches!(late, Err(Refused(Refusal::Expired))));
    let late = logins.deny(scanned, 1);
    assert!(matches!(late, Err(Refused(Refusal::Expired))));

    let unscanned = logins.test(&browser_token(2));
    logins.expire(unscanned).unwrap();
    let late = logins.initiate_test(unscanned);
    assert!(matches!(late, Err(Refused(Refusal::Unknown))));

    let token = browser_token(3);
    let confirmed = logins.test(&token);
    logins.initiate_test(confirmed).unwrap();
    logins.confirm(confirmed, 1, "yes").unwrap();
    logins.expire(confirmed).unwrap();
    let late = logins.redeem(confirmed, &token);
    assert!(matches!(late, Err(Refused(Refusal::Expired))));
}

#[test]
fn only_tests_of_the_app_that_are_not_over_expire() {
    let logins = Logins::new();
    let live = logins.create().login.id;
    let refused = logins.expire(live);
    assert!(matches!(refused, Err(Refused(Refusal::Unknown))));
    assert_eq!(logins.state(live), Status::Created);
    let token = browser_token(1);
    let test = logins.test(&token);
    let other = "other".parse().unwrap();
    let refused = logins.with(async |ports| logins::expire(ports, test, &other).await);
    assert!(matches!(refused, Err(Refused(Refusal::Unknown))));
    assert_eq!(logins.state(test), Status::Created);
    logins.initiate_test(test).unwrap();
    logins.confirm(test, 1, "yes").unwrap();
    logins.redeem(test, &token).unwrap();
    let refused = logins.expire(test);
    let expected = Refusal::WrongStatus(Status::Consumed);
    assert!(matches!(refused, Err(Refused(refusal)) if refusal == expected));
}

#[test]
fn page_token_of_a_test_watches_it() {
    let logins = Logins::new();
    let token = browser_token(1);
    let id = logins.test(&token);
    let page = token.page_token().reveal().parse::<DeviceToken>().unwrap();
    assert_eq!(logins.status(id, page).unwrap(), Status::Created);
}
