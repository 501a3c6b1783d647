//! Vectors of API calls: their results, retries and errors.

use std::time::{Duration, SystemTime};

use futures_util::TryStreamExt as _;
use serde_json::{Value, json};

use super::stub::Stub;
use super::vectors::{cases, text, vectors};
use crate::call::Call;
use crate::client::Countersign;
use crate::confirmations::StartConfirmation;
use crate::error::Error;
use crate::lists::{ListConfirmations, ListLogins};
use crate::types::{
    AcquireRequest, ConfirmRequest, CreateLogin, CreatePhoneRegistration, InspectedLogin,
    LoginState, RegisterKey,
};

/// Limits of a call; the client's limits apply to absent ones.
#[derive(Clone, Copy)]
struct Given {
    timeout: Option<Duration>,
    retries: Option<u32>,
}

impl Given {
    fn from_options(options: &Value) -> Self {
        Self {
            timeout: options["timeout"].as_f64().map(Duration::from_secs_f64),
            retries: options["maxRetries"]
                .as_u64()
                .map(|retries| u32::try_from(retries).unwrap()),
        }
    }

    async fn call<T>(self, mut call: Call<'_, T>) -> Result<T, Error> {
        if let Some(timeout) = self.timeout {
            call = call.timeout(timeout);
        }
        if let Some(retries) = self.retries {
            call = call.max_retries(retries);
        }
        call.await
    }

    async fn start(self, mut call: StartConfirmation<'_>) -> Result<Value, Error> {
        if let Some(timeout) = self.timeout {
            call = call.timeout(timeout);
        }
        if let Some(retries) = self.retries {
            call = call.max_retries(retries);
        }
        Ok(json!(call.await?))
    }
}

/// Makes a call, and returns its answer as JSON.
async fn make(client: &Countersign, call: &str, given: Given) -> Result<Value, Error> {
    let confirmations = client.confirmations();
    Ok(match call {
        "acquire" => {
            given
                .start(confirmations.acquire(AcquireRequest::new()))
                .await?
        }
        "acquireWithClient" => {
            given
                .start(confirmations.acquire(AcquireRequest::new().client_channel()))
                .await?
        }
        "confirm" => {
            given
                .start(confirmations.confirm(ConfirmRequest::new("+12025550100")))
                .await?
        }
        "get" => json!(given.call(confirmations.get("cfm_1")).await?),
        "redeliver" => json!(given.call(confirmations.redeliver("cfm_1")).await?),
        "page" => {
            let page = given
                .call(confirmations.page(ListConfirmations::new()))
                .await?;
            json!({ "confirmations": page.confirmations, "nextCursor": page.next_cursor })
        }
        "pageLogins" => {
            let page = given.call(client.logins().page(ListLogins::new())).await?;
            json!({ "sessions": page.logins, "nextCursor": page.next_cursor })
        }
        "createLogin" => {
            json!(
                given
                    .call(
                        client
                            .logins()
                            .create("token", CreateLogin::new("https://shop.example"))
                    )
                    .await?
            )
        }
        "cancelLogin" => json!(given.call(client.logins().cancel("qrs_1")).await?),
        "registerKey" => {
            json!(
                given
                    .call(
                        client
                            .association_keys()
                            .register(RegisterKey::new("zoe", "MFkw"))
                    )
                    .await?
            )
        }
        "listKeys" => json!({ "keys": given.call(client.association_keys().list("zoe")).await? }),
        "revokeKey" => json!(given.call(client.association_keys().revoke("k1")).await?),
        "createPhoneRegistration" => {
            let request = CreatePhoneRegistration::new("zoe");
            json!(
                given
                    .call(client.phone_registrations().create(request))
                    .await?
            )
        }
        "getPhoneRegistration" => {
            json!(
                given
                    .call(client.phone_registrations().get("phr_1"))
                    .await?
            )
        }
        "cancelPhoneRegistration" => {
            json!(
                given
                    .call(client.phone_registrations().cancel("phr_1"))
                    .await?
            )
        }
        _ => panic!("unknown call {call}"),
    })
}

async fn check(case: &'static Value, by_client: bool) {
    let name = format!(
        "{}, by the {}",
        text(case, "name"),
        if by_client { "client" } else { "call" }
    );
    let stub = Stub::start().await;
    let given = Given::from_options(&case["options"]);
    let mut builder = stub.builder();
    if let Some(timeout) = given.timeout.filter(|_| by_client) {
        builder = builder.timeout(timeout);
    }
    if let Some(retries) = given.retries.filter(|_| by_client) {
        builder = builder.max_retries(retries);
    }
    let client = builder.build().unwrap();
    stub.answers(case["answers"].as_array().unwrap());
    let limits = if by_client {
        Given::from_options(&Value::Null)
    } else {
        given
    };
    match (
        make(&client, text(case, "call"), limits).await,
        case["error"].as_object(),
    ) {
        (Err(error), Some(expected)) => {
            let found = described(&error);
            assert_eq!(found["retryAfter"], case["error"]["retryAfter"], "{name}");
            for (member, value) in expected {
                let value = if member == "type" && value.is_null() {
                    &json!("connection")
                } else {
                    value
                };
                assert_eq!(found[member], *value, "{name}: {member}");
            }
        }
        (Ok(answer), None) => {
            for (member, value) in case["ok"].as_object().unwrap() {
                assert_eq!(answer[member], *value, "{name}: {member}");
            }
        }
        (outcome, _) => panic!("{name}: {outcome:?}"),
    }
    assert_eq!(json!(stub.requests()), case["requests"], "{name}: requests");
    let expected: Vec<f64> = case["waits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|wait| wait.as_f64().unwrap())
        .collect();
    assert_eq!(stub.world.waits(), expected, "{name}: waits");
}

/// Returns the members of an error with the vectors' names.
fn described(error: &Error) -> Value {
    let seconds = |wait: Option<Duration>| wait.map(|wait| wait.as_secs());
    match error {
        Error::Problem(problem) => json!({
            "type": "problem", "status": problem.status, "code": problem.code, "title": problem.title,
            "detail": problem.detail, "field": problem.field, "requestId": problem.request_id,
            "retryAfter": seconds(problem.retry_after),
        }),
        Error::Connection(lost) => {
            json!({ "type": "connection", "status": lost.status, "retryAfter": seconds(lost.retry_after) })
        }
        error => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn answers_are_read_and_failures_repeated() {
    let all = cases(&vectors()["answers"]);
    for case in all {
        check(case, true).await;
        check(case, false).await;
    }
    assert_eq!(all.len(), 117);
}

#[tokio::test]
async fn configured_client_follows_no_redirects() {
    let stub = Stub::start().await;
    let follow = |builder: reqwest::ClientBuilder| {
        builder
            .redirect(reqwest::redirect::Policy::limited(5))
            .default_headers(
                std::iter::once((http::header::FORWARDED, "for=shop".parse().unwrap())).collect(),
            )
    };
    let client = stub.builder().http_client(follow).build().unwrap();
    stub.answers([&json!({ "status": 307, "headers": [["location", "/elsewhere"]], "text": "" })]);
    let error = client.confirmations().get("cfm_1").await.unwrap_err();
    assert_eq!(described(&error)["status"], 307);
    let asked = stub.asked();
    assert_eq!(
        (asked.len(), asked[0].header("forwarded")),
        (1, Some("for=shop"))
    );
}

#[tokio::test]
async fn lists_are_read_page_by_page() {
    let stub = Stub::start().await;
    let client = stub.builder().build().unwrap();
    let page = |items: Value, next: Option<&str>| json!({ "status": 200, "headers": [], "body": { "sessions": items, "nextCursor": next } });
    stub.answers([
        &page(
            json!([{ "sessionId": "qrs_1" }, { "sessionId": "qrs_2" }]),
            Some("a/b"),
        ),
        &page(json!([]), Some("c")),
        &page(json!([{ "sessionId": "qrs_3" }]), None),
    ]);
    let from = SystemTime::UNIX_EPOCH;
    let query = ListLogins::new()
        .state(LoginState::Confirmed)
        .created_from(from);
    let logins: Vec<_> = client
        .logins()
        .list(query.limit(2))
        .try_collect()
        .await
        .unwrap();
    let ids = logins.iter().map(|login| login.session_id.as_str());
    assert_eq!(ids.collect::<Vec<_>>(), ["qrs_1", "qrs_2", "qrs_3"]);
    let same = "/qr-sessions?state=confirmed&createdFrom=1970-01-01T00%3A00%3A00.000Z&limit=2";
    let paths = stub.asked().into_iter().map(|asked| asked.path);
    let with = |cursor| format!("{same}&cursor={cursor}");
    assert_eq!(
        paths.collect::<Vec<_>>(),
        [same.to_owned(), with("a%2Fb"), with("c")]
    );
}

/// The service writes `null` for a missing property of a login.
#[test]
fn login_is_written_as_it_was_read() {
    let answer = json!({
        "sessionId": "qrs_1", "state": "scanned", "origin": "https://shop.example", "context": null,
        "expectedPublicUserId": null, "browserPublicKey": null, "claimedPublicUserId": "zoe",
        "verifiedPublicUserId": null, "proof": null, "pay": null, "denialPayload": null, "denialReason": null,
        "checkCodeRequired": false, "createdAt": "2026-01-02T03:04:05.678Z",
        "scannedAt": "2026-01-02T03:04:15.678Z", "confirmedAt": null, "expiresAt": "2026-01-02T03:05:25.678Z",
        "expiresIn": 50, "serverTime": "2026-01-02T03:04:35.678Z",
    });
    let login: InspectedLogin = serde_json::from_value(answer.clone()).unwrap();
    assert_eq!(json!(login), answer);
}
