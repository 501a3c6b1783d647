//! Opening logins.

use std::sync::Arc;
use std::time::Duration;

use countersign_domain::login::BrowserPublicKey;
use countersign_domain::primitives::time::Timestamp;
use countersign_sdk::memory::MemorySecrets;
use countersign_sdk::{AnswerFault, IdentityError, RiskStatus, SdkError, Session, Severity};
use countersign_sealing::BrowserPrivateKey;
use countersign_system::entropy::OsEntropy;
use serde_json::{Value, json};

use crate::support::{APP_KEY, CODE, CONTEXT, Fate, ORIGIN, START, Service, World, not_ours};

impl World {
    /// Opens the login in a new process.
    pub(crate) fn open(&self) -> Result<Session, SdkError> {
        self.open_as(None)
    }

    pub(crate) fn open_as(&self, user: Option<&str>) -> Result<Session, SdkError> {
        let (client, id) = (self.client(), self.service.id.to_string());
        self.run(client.initialize_qr_session(APP_KEY, &id, user))
    }
}

fn changed(change: impl FnOnce(&mut Value)) -> World {
    let mut service = Service::new();
    change(&mut service.answer);
    World::with(service)
}

#[test]
fn session_has_what_the_service_says() {
    let mut service = Service::with_context(Some(CONTEXT));
    service.answer["checkCode"] = CODE.into();
    service.answer["newMember"] = json!({ "of": "a later version" });
    service.answer["session"]["mobileTemplateResponse"]["new"] = json!(1);
    let world = World::with(service);
    let session = world.open().unwrap();
    assert_eq!(session.id(), world.service.id.to_string());
    assert_eq!(session.app_name(), "shop");
    assert_eq!(session.origin(), ORIGIN);
    assert_eq!(session.context(), Some(CONTEXT));
    assert_eq!(session.check_code(), Some(CODE));
    assert_eq!(session.ip_address_mobile(), Some("198.51.100.9"));
    assert_eq!(session.ip_address_widget(), Some("203.0.113.7"));
    assert!(session.is_encrypted());
    let risk = session.risk_analytics().unwrap();
    assert_eq!(risk.risk_status, RiskStatus::Warn);
    assert!(risk.risk_flag_string.is_some());
    assert_eq!(risk.geo_data.mobile.city.as_deref(), Some("Köln"));
    assert_eq!(risk.geo_data.browser.city, None);
    assert_eq!(risk.geo_data.browser.country_code.as_deref(), Some("FR"));
    let screen = session.mobile_template_response();
    assert_eq!(screen.title, "Log in to shop.example?");
    assert_eq!(screen.widget.issue.as_deref(), Some("In another country."));
    assert_eq!(screen.user_agent.name, "Firefox on Linux");
    assert_eq!(screen.flags[0].severity, Severity::Warn);
    let json: Value = serde_json::from_str(session.json()).unwrap();
    assert_eq!(json, world.service.answer["session"]);
}

#[test]
fn request_names_app_language_and_user() {
    let mut world = World::new();
    let tags = ["de-AT", "en"].map(str::to_owned);
    world.configuration = world.configuration.languages(&tags).unwrap();
    world.open_as(Some("zoe@example.com")).unwrap();
    let call = &world.service.calls()[0];
    assert_eq!(call.route, "initiate");
    assert_eq!(call.json(), json!({ "publicUserId": "zoe@example.com" }));
    assert_eq!(call.header("x-app-key"), Some(APP_KEY));
    assert_eq!(call.header("accept-language"), Some("de-AT, en;q=0.9"));
    assert_eq!(call.header("content-type"), Some("application/json"));
    let token = call.header("authorization").unwrap();
    assert_eq!(token.strip_prefix("Bearer ").unwrap().len(), 43);
}

#[test]
fn anonymous_user_is_not_named() {
    for user in [None, Some("ANON")] {
        let world = World::new();
        world.open_as(user).unwrap();
        assert_eq!(world.service.calls()[0].json(), json!({}));
    }
}

#[test]
fn malformed_arguments_send_nothing() {
    let world = World::new();
    let (client, id) = (world.client(), world.service.id.to_string());
    let open = |app: &str, id: &str, user| {
        let opened = world.run(client.initialize_qr_session(app, id, user));
        opened.unwrap_err()
    };
    assert_eq!(open("cs_app_1", &id, None), SdkError::InvalidAppKey);
    assert_eq!(open(APP_KEY, "qrs_1", None), SdkError::InvalidSessionId);
    let refused = open(APP_KEY, &id, Some(""));
    assert_eq!(refused, SdkError::InvalidPublicUserId);
    assert!(world.service.calls().is_empty());
}

#[test]
fn phone_that_lost_its_memory_is_the_same_phone() {
    let mut world = World::new();
    world.open().unwrap();
    world.open().unwrap();
    let calls = world.service.calls();
    assert_eq!(calls[0], calls[1]);
    world.platform.secrets = Arc::new(MemorySecrets::default());
    assert!(matches!(world.open(), Err(SdkError::Blocked(_))));
}

/// Expects the phone to show nothing, to send no payload, and to report the reason to the service.
fn assert_stops(world: &World, error: IdentityError) {
    assert_eq!(world.open().unwrap_err(), SdkError::KeyMismatch(error));
    let calls = world.service.calls();
    assert_eq!(world.service.routes(), ["initiate", "deny"]);
    let denial = json!({ "payload": "", "reason": "key_mismatch" });
    assert_eq!(calls[1].json(), denial);
    assert_eq!(
        calls[1].header("authorization"),
        calls[0].header("authorization")
    );
}

#[test]
fn service_that_names_another_key_page_context_or_app_is_stopped() {
    let stranger = BrowserPrivateKey::generate(&OsEntropy).public_key();
    let stranger = stranger.unwrap().to_string();
    for (name, value) in [
        ("browserPublicKey", json!(stranger)),
        ("browserPublicKey", json!("nonsense")),
        ("origin", json!("https://evil.example")),
        ("origin", json!("nonsense")),
        ("context", json!("Pay 20 EUR to Mallory")),
        ("context", json!("")),
        ("context", json!("Pay \u{202e}02 EUR")),
    ] {
        let world = changed(|answer| answer[name] = value.clone());
        assert_stops(&world, IdentityError::Mismatch);
    }
    let world = changed(|answer| {
        answer.as_object_mut().unwrap().remove("browserPublicKey");
    });
    assert_stops(&world, IdentityError::KeyMissing);

    let world = World::new();
    let (client, id) = (world.client(), world.service.id.to_string());
    let other = "cs_app_0000000000000000000002";
    let mut answer = world.service.answer.clone();
    answer["serverTime"] = json!("2026-01-02T03:04:05.678Z");
    answer["expiresAt"] = json!("2026-01-02T03:07:05.678Z");
    world.service.fates([Fate::Replaced(200, answer)]);
    let opened = world.run(client.initialize_qr_session(other, &id, None));
    let error = SdkError::KeyMismatch(IdentityError::Mismatch);
    assert_eq!(opened.unwrap_err(), error);
}

#[test]
fn mismatch_counts_even_if_the_report_is_lost() {
    let world = changed(|answer| answer["origin"] = json!("https://evil.example"));
    world.service.fates([Fate::Arrives, Fate::Hopeless]);
    let refused = world.open().unwrap_err();
    assert_eq!(refused, SdkError::KeyMismatch(IdentityError::Mismatch));
}

#[test]
fn login_without_a_key_is_taken_only_if_the_app_allows_it() {
    let mut world = World::with(Service::plain());
    assert_eq!(world.open().unwrap_err(), SdkError::PlainRefused);
    assert!(world.service.calls().is_empty());
    world.configuration = world.configuration.accept_plain_logins(true);
    assert!(!world.open().unwrap().is_encrypted());

    let key = BrowserPrivateKey::generate(&OsEntropy).public_key();
    for (name, value, error) in [
        (
            "browserPublicKey",
            key.unwrap().to_string(),
            IdentityError::KeyUnexpected,
        ),
        (
            "context",
            CONTEXT.to_owned(),
            IdentityError::ContextUnexpected,
        ),
    ] {
        let mut service = Service::plain();
        service.answer[name] = value.into();
        let mut world = World::with(service);
        world.configuration = world.configuration.accept_plain_logins(true);
        assert_stops(&world, error);
    }
}

#[test]
fn context_that_the_app_does_not_show_stops_the_login() {
    let mut world = World::with(Service::with_context(Some(CONTEXT)));
    world.configuration = world.configuration.show_contexts(false);
    assert_eq!(world.open().unwrap_err(), SdkError::ContextUnsupported);
    assert_eq!(world.service.routes(), ["initiate"], "nobody denied it");
}

#[test]
fn session_names_the_page_to_return_to() {
    let back = format!("{ORIGIN}/sign-in#countersign=x.y");
    let mut world = changed(|answer| answer["returnUrl"] = back.clone().into());
    world.configuration = world.configuration.return_to_pages(true);
    let session = world.open().unwrap();
    let page = session.return_url().unwrap();
    assert_eq!(page.reveal(), back);
    assert!(!format!("{page:?}").contains("x.y"));
    let call = world.service.calls().remove(0);
    assert_eq!(call.json()["canReturn"], true);
}

#[test]
fn page_of_another_origin_is_not_returned_to() {
    for url in [
        "https://evil.example/#countersign=x.y".to_owned(),
        "javascript:alert(1)".to_owned(),
        format!("{ORIGIN}.evil.example/"),
    ] {
        let world = changed(|answer| answer["returnUrl"] = url.clone().into());
        let no_login = SdkError::MalformedAnswer(AnswerFault::NotALogin);
        assert_eq!(world.open().unwrap_err(), no_login, "{url}");
    }
}

#[test]
fn answers_that_describe_no_login_are_errors() {
    let no_login = SdkError::MalformedAnswer(AnswerFault::NotALogin);
    let too_long = SdkError::MalformedAnswer(AnswerFault::TooLong);
    for (pointer, value) in [
        ("/session", Value::Null),
        ("/session/mobileTemplateResponse", Value::Null),
        ("/session/riskAnalytics/riskStatus", json!("fine")),
        ("/session/mobileTemplateResponse/flags/0/severity", json!(1)),
        ("/app", json!("shop")),
    ] {
        let world = changed(|answer| *answer.pointer_mut(pointer).unwrap() = value.clone());
        assert_eq!(world.open().unwrap_err(), no_login, "{pointer}");
        assert_eq!(world.service.routes(), ["initiate"]);
    }
    for code in ["4", "424", "4x", "4\u{1b}", "４２", "٤٢"] {
        let world = changed(|answer| answer["checkCode"] = code.into());
        assert_eq!(world.open().unwrap_err(), no_login, "{code}");
    }
    for (status, body, error) in [
        (200, json!([]), no_login.clone()),
        (200, json!({ "hello": "world" }), no_login),
        (200, json!("x".repeat(70_000)), too_long.clone()),
        (302, json!({}), not_ours(302)),
        (401, json!({}), not_ours(401)),
        (404, json!("not found"), not_ours(404)),
        (500, json!({ "title": "x" }), not_ours(500)),
    ] {
        let world = World::new();
        world.service.fates([Fate::Replaced(status, body)]);
        assert_eq!(world.open().unwrap_err(), error);
        assert_eq!(world.service.routes(), ["initiate"]);
    }
    let world = World::new();
    world.service.fates([Fate::TooLong]);
    assert_eq!(world.open().unwrap_err(), too_long);
}

/// A service could otherwise obtain proofs that are valid in a hundred years.
#[test]
fn time_that_cannot_be_is_refused() {
    let day = 24 * 60 * 60 * 1000;
    for (time, is_believed) in [
        ("1970-01-01T00:00:00.000Z".to_owned(), false),
        ("9999-12-31T23:59:59.999Z".to_owned(), false),
        (at(START.as_millis() - day), true),
        (at(START.as_millis() - day - 1), false),
        (at(START.as_millis() + day), true),
        (at(START.as_millis() + day + 1), false),
    ] {
        let world = World::new();
        let mut answer = world.service.answer.clone();
        answer["serverTime"] = time.as_str().into();
        answer["expiresAt"] = time.as_str().into();
        world.service.fates([Fate::Replaced(200, answer)]);
        match world.open() {
            Ok(_) => assert!(is_believed, "{time}"),
            Err(error) => {
                let wrong = SdkError::MalformedAnswer(AnswerFault::WrongTime);
                assert_eq!((error, is_believed), (wrong, false), "{time}");
            }
        }
    }
}

fn at(millis: u64) -> String {
    Timestamp::from_millis(millis).to_string()
}

#[test]
fn refusals_have_errors_of_their_own() {
    for (status, code, expected, ends) in [
        (410, "session_expired", "expired", true),
        (409, "second_phone", "blocked", true),
        (409, "session_blocked", "blocked", true),
        (409, "session_ended", "ended", true),
        (409, "session_cancelled", "ended", true),
        (404, "session_not_found", "not_found", true),
        (403, "risk_denied", "risk_denied", true),
        (403, "proof_required", "proof_required", false),
        (401, "app_key_unknown", "problem", false),
        (500, "internal_error", "problem", false),
    ] {
        let world = World::new();
        let body = json!({ "title": "No", "detail": "Why.", "code": code, "more": 1 });
        world.service.fates([Fate::Replaced(status, body)]);
        let error = world.open().unwrap_err();
        assert_eq!(error.code(), expected, "{code}");
        assert_eq!(error.ends_login(), ends, "{code}");
        let problem = error.problem().unwrap();
        assert_eq!((problem.status, problem.code.as_str()), (status, code));
        assert_eq!(problem.to_string(), format!("No. Why. ({code})"));
        assert!(!error.message().is_empty());
    }
}

#[test]
fn time_is_the_services_and_what_passed_since() {
    let world = World::new();
    let session = world.open().unwrap();
    let service_time = world.service.now();
    assert_eq!(session.now(), service_time);
    assert_eq!(session.time_left(), Duration::from_mins(3));
    world.clock.advance(Duration::from_secs(7));
    assert_eq!(session.now(), service_time.plus(Duration::from_secs(7)));
    assert_eq!(session.time_left(), Duration::from_secs(173));
    world.clock.advance(Duration::from_hours(1));
    assert_eq!(session.time_left(), Duration::ZERO);
}

#[test]
fn key_off_the_curve_gets_nothing() {
    let key = BrowserPrivateKey::generate(&OsEntropy).public_key();
    let mut bytes = *key.unwrap().as_bytes();
    bytes[64] ^= 1;
    let off = BrowserPublicKey::from_bytes(bytes).unwrap();
    let world = World::with(Service::with_key(&off, None));
    let session = world.open().unwrap();
    let refused = world.run(session.confirm("a token"));
    assert_eq!(refused, Err(SdkError::UnusableBrowserKey));
    assert_eq!(world.service.routes(), ["initiate"]);
    assert!(world.platform.answers.names().unwrap().is_empty());
}
