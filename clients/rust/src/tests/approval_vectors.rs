//! Vectors of approvals: results, and webhooks.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::stub::Stub;
use super::vectors::{cases, key_finder, pairs, text, vectors};
use crate::approvals::ApprovalResult;
use crate::client::Countersign;
use crate::error::{BoxError, Error};
use crate::handlers::WebhookHandler;
use crate::identity;
use crate::store::{self, WEBHOOK_TTL};

const APP_KEY: &str = "cs_app_0123456789abcdefABCDEF";

async fn remember(client: &Countersign, session: &str, user: &Value) {
    if let Some(user) = user.as_str() {
        let record = identity::approval_record(session, user);
        store::remember(client.store(), &record, WEBHOOK_TTL, async { Ok(()) })
            .await
            .unwrap();
    }
}

async fn ask(
    client: &Countersign,
    case: &'static Value,
    acted: &Mutex<Vec<ApprovalResult>>,
) -> Result<Value, Error> {
    let mut question = client
        .approvals()
        .result(text(case, "session"))
        .on_result(|result| async {
            acted.lock().unwrap().push(result);
            Ok::<_, BoxError>(())
        });
    if !case["keys"].is_null() {
        question = question.find_key(key_finder(&case["keys"]));
    }
    Ok(json!(question.await?))
}

#[tokio::test]
async fn results_of_approvals_are_verified_and_reported_once() {
    let all = cases(&vectors()["approvals"]["results"]);
    for case in all {
        let name = text(case, "name");
        let stub = Stub::start().await;
        let client = stub.builder().app_key(APP_KEY).build().unwrap();
        remember(&client, text(case, "session"), &case["remembered"]).await;
        let acted = Mutex::default();
        if let Some(kind) = case["error"].as_str() {
            stub.answers(case["answers"].as_array().unwrap());
            let error = ask(&client, case, &acted).await.unwrap_err();
            let found = match error {
                Error::UnknownApproval { .. } => "unknown_approval",
                Error::Connection(_) => "connection",
                Error::Problem(_) => "problem",
                error => panic!("{name}: {error:?}"),
            };
            assert_eq!(found, kind, "{name}");
            assert_eq!(json!(stub.requests()), case["requests"], "{name}");
            assert_eq!(acted.into_inner().unwrap(), [], "{name}");
            continue;
        }
        for (times, member) in [(1, "result"), (2, "again")] {
            stub.answers(case["answers"].as_array().unwrap());
            assert_eq!(
                ask(&client, case, &acted).await.unwrap(),
                case[member],
                "{name}: {member}"
            );
            assert_eq!(
                stub.requests() as u64,
                times * case["requests"].as_u64().unwrap(),
                "{name}"
            );
        }
        let acted: Vec<Value> = acted
            .into_inner()
            .unwrap()
            .iter()
            .map(|result| json!(result))
            .collect();
        let is_once = case["again"]["status"] == "already_reported";
        let expected = if is_once {
            vec![case["result"].clone()]
        } else {
            vec![]
        };
        assert_eq!(acted, expected, "{name}");
    }
    assert_eq!(all.len(), 47);
}

#[tokio::test]
async fn webhooks_of_approvals_are_accepted_once() {
    let section = &vectors()["approvals"];
    let all = cases(&section["webhooks"]);
    for case in all {
        let name = text(case, "name");
        let stub = Stub::start().await;
        stub.tell_time(text(vectors(), "date"));
        let builder = stub.builder().app_key(APP_KEY).max_retries(0);
        let client = builder
            .webhook_secret(text(section, "webhookSecret"))
            .build()
            .unwrap();
        let event: Value = serde_json::from_str(text(case, "body")).unwrap();
        remember(&client, text(&event, "sessionId"), &case["remembered"]).await;
        let acted: Arc<Mutex<Vec<ApprovalResult>>> = Arc::default();
        let kept = Arc::clone(&acted);
        let mut handler = WebhookHandler::builder(&client).on_approval(move |result| {
            kept.lock().unwrap().push(result);
            std::future::ready(Ok::<_, BoxError>(()))
        });
        if !case["keys"].is_null() {
            handler = handler.find_key(key_finder(&case["keys"]));
        }
        let handler = handler.build().unwrap();
        for expected in [case, &case["again"]] {
            stub.answers(case["answers"].as_array().unwrap());
            let reply = handler
                .answer(
                    "POST",
                    pairs(&case["headers"]),
                    text(case, "body").as_bytes(),
                )
                .await;
            assert_eq!(
                Value::from(reply.status().as_u16()),
                expected["status"],
                "{name}"
            );
            assert_eq!(reply.body(), text(expected, "text"), "{name}");
        }
        let acted: Vec<Value> = acted
            .lock()
            .unwrap()
            .iter()
            .map(|result| json!(result))
            .collect();
        let expected: Vec<Value> = Some(&case["decision"])
            .filter(|one| !one.is_null())
            .cloned()
            .into_iter()
            .collect();
        assert_eq!(acted, expected, "{name}");
    }
    assert_eq!(all.len(), 13);
}
