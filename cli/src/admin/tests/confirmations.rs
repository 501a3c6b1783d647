use countersign_conformance::samples;
use countersign_domain::app::quota::Allowance;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::confirmation::miss::MissReason;
use countersign_domain::primitives::time::{Clock, Timestamp};

use super::*;
use crate::admin::confirmations::{
    CancelConfirmation, FindConfirmations, RedactConfirmation, RedeliverWebhook, RevealNumber,
    ShowConfirmation,
};

/// The time of the samples.
pub(super) struct Then;

impl Clock for Then {
    fn now(&self) -> Timestamp {
        samples::NOW
    }
}

/// Returns an administration of an app with these confirmations.
pub(super) async fn admin_of(data: &Data, items: impl IntoIterator<Item = Confirmation>) -> Admin {
    let admin = Admin {
        clock: Arc::new(Then),
        ..Admin::of_storage(&data.storage, true, None)
    };
    for app in ["shop", "bank"] {
        ask(&admin, &format!("app create {app}")).await.unwrap();
    }
    for item in items {
        let started = admin
            .store
            .start_confirmation(item, Allowance::Unlimited, samples::NOW);
        started.await.unwrap();
    }
    admin
}

pub(super) fn of_app(app: &str, item: Confirmation) -> Confirmation {
    Confirmation {
        app: app.parse().unwrap(),
        ..item
    }
}

pub(super) async fn send<R: Request>(admin: &Admin, request: Value) -> Result<Value, AdminError> {
    let request: R = serde_json::from_value(request).unwrap();
    execute(admin, request).await.map(|(json, _)| json)
}

async fn ids(admin: &Admin, search: Value) -> Vec<String> {
    let found = send::<FindConfirmations>(admin, search).await.unwrap();
    let items = found["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect()
}

fn verified(n: u8) -> Confirmation {
    samples::verified(&samples::confirmation(n), &samples::text(1), samples::NOW)
}

#[tokio::test]
async fn search_masks_numbers_and_says_where_it_goes_on() {
    let data = data();
    let items = (1..=5).map(|n| of_app(if n % 2 == 0 { "bank" } else { "shop" }, verified(n)));
    let admin = admin_of(&data, items).await;
    let first = send::<FindConfirmations>(&admin, json!({ "limit": 2 }))
        .await
        .unwrap();
    assert_eq!(first["items"].as_array().unwrap().len(), 2);
    assert_eq!(first["complete"], false);
    let number = samples::phone(samples::PHONE);
    assert_eq!(first["items"][0]["number"], number.glimpse());
    assert!(!first.to_string().contains(number.as_str()));
    let next = json!({ "limit": 100, "after": first["next"] });
    let rest = send::<FindConfirmations>(&admin, next).await.unwrap();
    assert_eq!(rest["items"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&rest["complete"], &rest["next"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(ids(&admin, json!({ "app": "bank" })).await.len(), 2);
    // A whole number finds what ends with its last four digits.
    assert_eq!(
        ids(&admin, json!({ "digits": number.as_str() }))
            .await
            .len(),
        5
    );
    assert_eq!(ids(&admin, json!({ "digits": "0000" })).await.len(), 0);
    let id = rest["items"][0]["id"].clone();
    assert_eq!(
        ids(&admin, json!({ "id": id })).await,
        [id.as_str().unwrap()]
    );
    let unknown = send::<FindConfirmations>(&admin, json!({ "app": "no-such-app" })).await;
    assert!(
        matches!(unknown, Err(AdminError::UnknownApp(_))),
        "{unknown:?}"
    );
}

#[tokio::test]
async fn story_says_why_a_confirmation_was_not_completed() {
    let data = data();
    let open = of_app("shop", samples::confirmation(1));
    let missed = samples::missed(&open, MissReason::WrongSender, samples::NOW);
    let admin = admin_of(&data, [missed.clone()]).await;
    let id = json!({ "id": missed.id.to_string() });
    let story = send::<ShowConfirmation>(&admin, id).await.unwrap();
    assert_eq!(story["state"], "open");
    assert_eq!(story["lastMiss"]["code"], "wrong_sender");
    let sentence = "The text came from another number than the one to confirm.";
    assert_eq!(story["lastMiss"]["sentence"], sentence);
    let kinds = |story: &Value| -> Vec<String> {
        let moments = story["timeline"].as_array().unwrap().iter();
        moments
            .map(|moment| moment["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(kinds(&story), ["started", "missed"]);
    let curl = story["curl"].as_str().unwrap();
    assert!(
        curl.ends_with(&format!("/confirmations/{}\"", missed.id)),
        "{curl}"
    );
    let number = samples::phone(samples::PHONE);
    assert!(!story.to_string().contains(number.as_str()));
}

#[tokio::test]
async fn revealed_number_is_recorded_without_the_number() {
    let data = data();
    let item = of_app("bank", verified(1));
    let admin = admin_of(&data, [item.clone()]).await;
    let reveal = json!({ "id": item.id.to_string(), "reason": "The customer asked for help" });
    let shown = send::<RevealNumber>(&admin, reveal).await.unwrap();
    assert_eq!(shown, json!({ "phoneNumber": samples::PHONE }));
    let records = ask(&admin, "audit --app bank").await.unwrap();
    let records: Vec<_> = records
        .as_array()
        .unwrap()
        .iter()
        .filter(|record| record["action"] == "reveal_number")
        .collect();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["by"], "anna");
    assert_eq!(records[0]["app"], "bank");
    assert_eq!(
        records[0]["details"],
        json!({ "id": item.id.to_string(), "reason": "The customer asked for help" })
    );
    assert!(
        !ask(&admin, "audit")
            .await
            .unwrap()
            .to_string()
            .contains(samples::PHONE)
    );
}

#[tokio::test]
async fn number_that_cannot_be_recorded_is_not_revealed() {
    let data = data();
    let item = of_app("shop", verified(1));
    let admin = admin_of(&data, [item.clone()]).await;
    data.storage.items.close();
    let reveal = json!({ "id": item.id.to_string(), "reason": "Fraud" });
    let refused = send::<RevealNumber>(&admin, reveal).await;
    assert!(
        matches!(refused, Err(AdminError::Unavailable(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn operator_cancels_redelivers_and_redacts_as_the_app_may() {
    let data = data();
    let open = of_app("shop", samples::confirmation(1));
    let failed = samples::confirmations::in_every_state();
    let failed = failed
        .into_iter()
        .find(|(name, _)| *name == "failed")
        .unwrap()
        .1;
    let failed = of_app(
        "shop",
        Confirmation {
            id: samples::confirmation(2).id,
            ..failed
        },
    );
    let admin = admin_of(&data, [open.clone(), failed.clone()]).await;
    let (open, failed) = (
        json!({ "id": open.id.to_string() }),
        json!({ "id": failed.id.to_string() }),
    );
    for (refused, why) in [
        (
            send::<RedeliverWebhook>(&admin, open.clone()).await,
            "it is open",
        ),
        (
            send::<RedactConfirmation>(&admin, open.clone()).await,
            "still open",
        ),
        (
            send::<CancelConfirmation>(&admin, failed.clone()).await,
            "it is verified",
        ),
    ] {
        let refused = refused.unwrap_err();
        assert!(!refused.is_ours());
        assert!(refused.to_string().contains(why), "{refused}");
    }
    assert_eq!(ids(&admin, json!({ "failed": true })).await.len(), 1);
    let cancelled = send::<CancelConfirmation>(&admin, open).await.unwrap();
    assert_eq!(cancelled["state"], "cancelled");
    let again = send::<RedeliverWebhook>(&admin, failed.clone())
        .await
        .unwrap();
    assert_eq!(again["delivery"], "pending");
    assert!(ids(&admin, json!({ "failed": true })).await.is_empty());
    let refused = send::<RedactConfirmation>(&admin, failed)
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("its webhook carries the data"),
        "{refused}"
    );
    let records = ask(&admin, "audit --app shop").await.unwrap();
    let records: Vec<_> = records
        .as_array()
        .unwrap()
        .iter()
        .map(|record| {
            format!(
                "{} {}",
                record["action"].as_str().unwrap(),
                record["result"].as_str().unwrap()
            )
        })
        .collect();
    for expected in [
        "cancel_confirmation done",
        "redeliver_webhook done",
        "redact_confirmation refused",
    ] {
        assert!(
            records.iter().any(|record| record == expected),
            "{expected}: {records:?}"
        );
    }
}

#[test]
fn searches_are_parsed_strictly() {
    for bad in [
        json!({ "states": ["lost"] }),
        json!({ "from": "yesterday" }),
        json!({ "digits": "7" }),
        json!({ "digits": "12x4" }),
        json!({ "after": "x" }),
        json!({ "id": "cfm_7" }),
        json!({ "unknown": 1 }),
    ] {
        assert!(
            serde_json::from_value::<FindConfirmations>(bad.clone()).is_err(),
            "{bad}"
        );
    }
    let good = json!({
        "states": ["open", "expired"],
        "from": "2026-01-02T03:04:05Z",
        "digits": "+49 170 1234567",
        "noText": true,
    });
    let parsed: FindConfirmations = serde_json::from_value(good).unwrap();
    // The socket reads what the client writes.
    let written = serde_json::to_value(&parsed).unwrap();
    assert_eq!(written["digits"], "4567");
    serde_json::from_value::<FindConfirmations>(written).unwrap();
}
