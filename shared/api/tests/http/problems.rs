//! Every problem can occur, and docs/problems.md lists it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::routing::get;
use bytes::Bytes;
use countersign_api::{Problem, ProblemCode, with_middleware};
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::app::refused_types::RefusableType;
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::storage::StorageCondition;
use countersign_inbound::generic;
use futures_util::{StreamExt as _, stream};
use http::{HeaderValue, Request};
use serde_json::{Value, json};

use crate::host::{Answer, CALLBACK, Host, PERSON, SEND_TO, broken, id_of, keyed};
use crate::storage::In;

const ACQUIRE: &str = "/acquire-phone-number";
const CONFIRM: &str = "/make-confirmation";

#[tokio::test(start_paused = true)]
async fn every_problem_can_occur() {
    for code in ProblemCode::ALL {
        let answer = meet(*code).await;
        assert_eq!(answer.code(), code.as_str(), "{answer:?}");
        assert_eq!(answer.status, code.status());
        assert_eq!(answer.json()["title"], code.title());
    }
}

/// Starts a confirmation while storage is in this state.
async fn begin_in(condition: StorageCondition) -> Answer {
    let host = Host::with(|parts| parts.storage = In::always(condition)).await;
    host.post(ACQUIRE, json!({"callbackUrl": CALLBACK})).await
}

/// Sends a request that is answered with this problem.
#[expect(clippy::too_many_lines, reason = "one line or a few for each problem")]
async fn meet(code: ProblemCode) -> Answer {
    let host = Host::new().await;
    let acquire = |body: &'static str| host.send(host.request("POST", ACQUIRE, body));
    let callback = |url: &str| host.post(ACQUIRE, json!({"callbackUrl": url}));
    let metadata = |metadata: Value| {
        host.post(
            ACQUIRE,
            json!({"callbackUrl": CALLBACK, "metadata": metadata}),
        )
    };
    let number = |number: Value| {
        host.post(
            CONFIRM,
            json!({"callbackUrl": CALLBACK, "phoneNumber": number}),
        )
    };
    match code {
        ProblemCode::NotFound => host.call("GET", "/nothing", None).await,
        ProblemCode::MethodNotAllowed => host.call("GET", ACQUIRE, None).await,
        ProblemCode::MalformedRequest
        | ProblemCode::MisdirectedRequest
        | ProblemCode::OriginForbidden
        | ProblemCode::TooManySockets => of_the_hosts(Problem::new(code)).await,
        ProblemCode::ApiKeyMissing => {
            let mut request = host.request("POST", ACQUIRE, "{}");
            request.headers_mut().remove("x-api-key");
            host.send(request).await
        }
        ProblemCode::ApiKeyMalformed => {
            let mut request = host.request("POST", ACQUIRE, "{}");
            let key = HeaderValue::from_static("cs_live_x");
            request.headers_mut().insert("x-api-key", key);
            host.send(request).await
        }
        ProblemCode::ApiKeyUnknown => {
            let key = PresentedApiKey::generate(&*host.entropy);
            host.send(keyed(&key, "POST", ACQUIRE, "{}")).await
        }
        ProblemCode::ApiKeyRevoked => {
            let app = "demo".parse::<AppId>().unwrap();
            let key = host.key.hash().id();
            host.store
                .revoke_key(&app, &key, host.clock.get())
                .await
                .unwrap();
            host.call("POST", ACQUIRE, None).await
        }
        ProblemCode::TestKeyNeeded => host.post("/simulated-texts", json!({})).await,
        ProblemCode::QueryMalformed => host.call("GET", "/confirmations?limit=0", None).await,
        ProblemCode::CountryMalformed => acquire(r#"{"country":"GBR"}"#).await,
        ProblemCode::LanguageMalformed => acquire(r#"{"language":"deutsch"}"#).await,
        ProblemCode::BodyTooLarge => {
            let body = " ".repeat(countersign_api::MAX_BODY + 1);
            host.send(host.request("POST", ACQUIRE, body)).await
        }
        ProblemCode::BodyTimeout => {
            let body = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
            host.send(host.request("POST", ACQUIRE, body)).await
        }
        ProblemCode::BodyIncomplete => {
            let part = Ok(Bytes::from_static(b"{"));
            let end = Err(std::io::Error::other("broken off"));
            let body = Body::from_stream(stream::iter([part, end]));
            host.send(host.request("POST", ACQUIRE, body)).await
        }
        ProblemCode::UnsupportedContentType => {
            let mut request = host.request("POST", ACQUIRE, "{}");
            request.headers_mut().remove("content-type");
            host.send(request).await
        }
        ProblemCode::MalformedJson => acquire("{").await,
        ProblemCode::BodyNotObject => acquire("[]").await,
        ProblemCode::DuplicateField => acquire(r#"{"a":1,"a":1}"#).await,
        ProblemCode::IdempotencyKeyMalformed => {
            let mut request = host.request("POST", ACQUIRE, "{}");
            let key = HeaderValue::from_static("a b");
            request.headers_mut().insert("idempotency-key", key);
            host.send(request).await
        }
        ProblemCode::IdempotencyKeyReused => {
            let with_key = |body: Value| {
                let mut request = host.request("POST", ACQUIRE, body.to_string());
                let key = HeaderValue::from_static("k");
                request.headers_mut().insert("idempotency-key", key);
                host.send(request)
            };
            with_key(json!({"callbackUrl": CALLBACK})).await;
            with_key(json!({"callbackUrl": CALLBACK, "metadata": {}})).await
        }
        ProblemCode::FieldMissing => acquire("{}").await,
        ProblemCode::FieldWrongType => acquire(r#"{"callbackUrl":7}"#).await,
        ProblemCode::FieldNotUnicode => acquire(r#"{"callbackUrl":"\ud800"}"#).await,
        ProblemCode::PhoneNumberNotInternational => number(json!("2025550100")).await,
        ProblemCode::PhoneNumberNotNational => {
            let body = json!({"callbackUrl": CALLBACK, "phoneNumber": "110", "country": "DE"});
            host.post("/make-confirmation", body).await
        }
        ProblemCode::PhoneNumberNotPossible => number(json!("+999123")).await,
        ProblemCode::CallbackUrlTooLong => callback(&"x".repeat(2_049)).await,
        ProblemCode::CallbackUrlMalformed => callback("https://").await,
        ProblemCode::CallbackUrlNotHttps => callback("http://example.com").await,
        ProblemCode::CallbackPortForbidden => callback("https://example.com:22/").await,
        ProblemCode::CallbackAddressForbidden => callback("https://10.0.0.1/").await,
        ProblemCode::NumberTypeRefused => {
            let toll_free = "toll_free".parse::<RefusableType>().unwrap();
            host.change_app(|app| app.refused_types = [toll_free].into_iter().collect())
                .await;
            number(json!("+18005550100")).await
        }
        ProblemCode::CallbackOriginNotAllowed => {
            host.change_app(|app| {
                let origin = "https://example.com:8443".to_owned();
                app.callback_origins = vec![
                    countersign_domain::web::callback_url::CallbackOrigin::from_stored(origin),
                ];
            })
            .await;
            callback(CALLBACK).await
        }
        ProblemCode::MetadataTooLarge => metadata(json!({"a": "x".repeat(4_096)})).await,
        ProblemCode::MetadataTooManyKeys => {
            let keys: BTreeMap<_, _> = (0..51).map(|key| (key.to_string(), 1)).collect();
            metadata(json!(keys)).await
        }
        ProblemCode::MetadataTooDeep => {
            let deep = (0..17).fold(json!(1), |inner, _| json!({"a": inner}));
            metadata(deep).await
        }
        ProblemCode::MetadataDuplicateKey => {
            acquire(r#"{"metadata":{"a":1,"a":1},"callbackUrl":"https://example.com"}"#).await
        }
        ProblemCode::MetadataKeyForbidden => metadata(json!({"__proto__": 1})).await,
        ProblemCode::MetadataNumberInexact => metadata(json!({"a": u64::MAX})).await,
        ProblemCode::ConfirmationNotFound => host.call("GET", "/confirmations/cfm_x", None).await,
        ProblemCode::ConfirmationOpen => {
            let id = id_of(&host.acquire().await);
            host.call("POST", &format!("/confirmations/{id}/redact"), None)
                .await
        }
        ProblemCode::ConfirmationVerified => {
            let id = host.verified().await;
            host.call("DELETE", &format!("/confirmations/{id}"), None)
                .await
        }
        ProblemCode::ConfirmationExpired => {
            let id = id_of(&host.acquire().await);
            host.clock.advance(Duration::from_mins(5));
            host.call("DELETE", &format!("/confirmations/{id}"), None)
                .await
        }
        ProblemCode::ConfirmationCancelled => {
            let path = format!("/confirmations/{}", id_of(&host.acquire().await));
            host.call("DELETE", &path, None).await;
            host.call("DELETE", &path, None).await
        }
        ProblemCode::ConfirmationRedacted => {
            let id = host.verified().await;
            host.deliver(id).await;
            host.call("POST", &format!("/confirmations/{id}/redact"), None)
                .await;
            host.call("POST", &format!("/confirmations/{id}/redeliver"), None)
                .await
        }
        ProblemCode::WebhookOwed => {
            let id = host.verified().await;
            host.call("POST", &format!("/confirmations/{id}/redact"), None)
                .await
        }
        ProblemCode::DeliveryInFlight => {
            let id = host.verified().await;
            host.claim(id).await;
            host.call("POST", &format!("/confirmations/{id}/redeliver"), None)
                .await
        }
        ProblemCode::InboundNotAuthentic => {
            host.send(
                Request::post("/inbound-sms/generic")
                    .body(Body::from("{}"))
                    .unwrap(),
            )
            .await
        }
        ProblemCode::InboundTooOld => {
            let request = host.signed("m", &generic::body(PERSON, SEND_TO, "x", None));
            host.clock.advance(Duration::from_secs(301));
            host.send(request).await
        }
        ProblemCode::InboundMalformed => host.send(host.signed("m", "{}")).await,
        ProblemCode::AppRateExceeded => {
            host.change_app(|app| app.quotas.confirmations.burst = Some(NonZeroU32::MIN))
                .await;
            callback(CALLBACK).await;
            callback(CALLBACK).await
        }
        ProblemCode::AppOpenExceeded => {
            host.change_app(|app| app.quotas.confirmations.max_open = Some(NonZeroU32::MIN))
                .await;
            callback(CALLBACK).await;
            callback(CALLBACK).await
        }
        ProblemCode::AppListsExceeded => {
            host.change_app(|app| app.quotas.lists.burst = Some(NonZeroU32::MIN))
                .await;
            host.call("GET", "/confirmations", None).await;
            host.call("GET", "/confirmations", None).await
        }
        ProblemCode::InternalError => of_the_hosts(Problem::ours(code, "a fault")).await,
        ProblemCode::StorageLow => begin_in(StorageCondition::Low).await,
        ProblemCode::StorageNotWritable => begin_in(StorageCondition::NotWritable).await,
        ProblemCode::ServiceUnavailable => {
            let host = Host::failing(broken::confirmations);
            host.await
                .post(ACQUIRE, json!({"callbackUrl": CALLBACK}))
                .await
        }
        ProblemCode::ConfirmationWithoutWebhook
        | ProblemCode::OpenIdRequestInvalid
        | ProblemCode::OpenIdNotVerified
        | ProblemCode::OpenIdPhoneUnknown
        | ProblemCode::OpenIdAnswered => crate::openid::meet(code).await,
        ProblemCode::WebPhoneOff
        | ProblemCode::LabelMalformed
        | ProblemCode::TooManyRegistrations
        | ProblemCode::RegistrationNotFound
        | ProblemCode::RegistrationOpened
        | ProblemCode::RegistrationNotSigned
        | ProblemCode::RegistrationSignedDifferently
        | ProblemCode::RegistrationCompleted
        | ProblemCode::RegistrationCancelled
        | ProblemCode::RegistrationFailed
        | ProblemCode::RegistrationExpired
        | ProblemCode::PasskeyRequired
        | ProblemCode::PasskeyMalformed
        | ProblemCode::PasskeyFalse
        | ProblemCode::PasskeyUnknown => crate::phone_registrations::problems::meet(code).await,
        code => crate::logins::problems::meet(&host, code).await,
    }
}

/// Answers with a problem from a host's own route.
async fn of_the_hosts(problem: Problem) -> Answer {
    let host = Host::new().await;
    let routes = Router::new().route("/nothing", get(async move || problem));
    let whole = with_middleware(routes, host.entropy.clone());
    Answer::from_router(whole, host.request("GET", "/nothing", "")).await
}

/// Returns the problems of docs/problems.md: code, and the line with status and title.
fn page() -> BTreeMap<String, String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/problems.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut entries = BTreeMap::new();
    let sections: Vec<_> = text.split("\n### `").skip(1).collect();
    for section in sections {
        let (code, rest) = section
            .split_once("`\n\n")
            .expect("a heading, then an empty line");
        let (facts, words) = rest.split_once("\n\n").expect("facts, then words");
        assert!(words.contains("**Cause.**"), "{code} has no cause");
        assert!(words.contains("**Remedy.**"), "{code} has no remedy");
        let before = entries.insert(code.to_owned(), facts.to_owned());
        assert_eq!(before, None, "{code} is there twice");
    }
    entries
}

#[test]
fn docs_list_every_problem_and_no_other() {
    let expected: BTreeMap<_, _> = ProblemCode::ALL
        .iter()
        .map(|code| {
            let facts = format!("{} · {}", code.status().as_u16(), code.title());
            (code.as_str().to_owned(), facts)
        })
        .collect();
    assert_eq!(page(), expected);
}

/// An endless body is cut off, and the caller still receives the problem.
#[tokio::test]
async fn endless_body_is_too_large() {
    let host = Host::new().await;
    let endless = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(&[b' '; 999])));
    let request = host.request("POST", ACQUIRE, Body::from_stream(endless.boxed()));
    let answer = host.send(request).await;
    assert_eq!(answer.code(), "body_too_large");
    assert_eq!(answer.header("connection"), Some("close"));
}
