//! The requests of the console's overview: history, attention and the system.

use countersign_conformance::samples;
use countersign_domain::confirmation::Confirmation;
use countersign_domain::delivery::Progress;
use countersign_domain::primitives::time::{Clock, Timestamp};
use countersign_domain::store::{Document, Entity as _, Items as _};

use super::*;
use crate::admin::attention::ListAttention;
use crate::admin::history::ShowHistory;
use crate::admin::system::ShowSystem;
use crate::admin::webhook_secrets::RetireWebhookSecret;
use crate::backup::record;

/// Some time after the samples.
struct Later(Duration);

impl Clock for Later {
    fn now(&self) -> Timestamp {
        samples::NOW.plus(self.0)
    }
}

fn admin_at(data: &Data, later: Duration, local: bool) -> Admin {
    Admin {
        clock: Arc::new(Later(later)),
        ..Admin::of_storage(&data.storage, local, None)
    }
}

async fn put(data: &Data, item: Confirmation) {
    let key = item.id.into();
    let document: Document = item.into_document();
    let put = data
        .storage
        .items
        .create(&key, document, samples::NOW, None);
    put.await.unwrap();
}

fn of_app(app: &str, item: Confirmation) -> Confirmation {
    Confirmation {
        app: app.parse().unwrap(),
        ..item
    }
}

async fn send<R: Request>(admin: &Admin, request: Value) -> Value {
    let request: R = serde_json::from_value(request).unwrap();
    execute(admin, request).await.unwrap().0
}

async fn kinds(admin: &Admin) -> Vec<String> {
    let items = send::<ListAttention>(admin, json!({})).await;
    let items = items.as_array().unwrap().iter();
    items
        .map(|item| item["kind"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn history_is_split_by_the_asked_label() {
    let data = data();
    let admin = admin_at(&data, Duration::ZERO, true);
    for n in 1..=3 {
        let app = if n == 3 { "bank" } else { "shop" };
        let item = of_app(app, samples::acquisition(n));
        let verified = samples::verified(&item, &samples::text(1), samples::NOW);
        put(&data, if n == 1 { verified } else { item }).await;
    }
    let period = |by: Value| json!({ "from": "2026-01-02T00:00:00Z", "to": "2026-01-03T00:00:00.000Z", "by": by });
    let totals = send::<ShowHistory>(&admin, period(Value::Null)).await;
    let expected = json!([{
        "at": "2026-01-02T03:00:00.000Z", "app": "", "country": "", "provider": "",
        "started": 3, "texted": 1, "verified": 1, "delivered": 0, "loggedIn": 0,
    }]);
    assert_eq!(totals["hours"], expected);
    assert_eq!(totals["complete"], true);
    let split = send::<ShowHistory>(&admin, period(json!("app"))).await;
    let split = split["hours"].as_array().unwrap().iter();
    let split: Vec<_> = split.map(|hour| (&hour["app"], &hour["started"])).collect();
    assert_eq!(
        split,
        [(&json!("bank"), &json!(1)), (&json!("shop"), &json!(2))]
    );
    let split = send::<ShowHistory>(&admin, period(json!("provider"))).await;
    assert_eq!(split["hours"][1]["provider"], "generic");
    let other_day = json!({ "from": "2025-12-31T00:00:00Z", "to": "2026-01-01T00:00:00Z" });
    assert_eq!(
        send::<ShowHistory>(&admin, other_day).await["hours"],
        json!([])
    );
    let lines = read(&admin, "history --by country").await;
    assert_eq!(lines[1], "2026-01-02T03:00:00.000Z US 3 1 1 0 0");
    for bad in [
        json!({ "by": "phone" }),
        json!({ "from": "yesterday" }),
        json!({ "until": 1 }),
    ] {
        assert!(
            serde_json::from_value::<ShowHistory>(bad.clone()).is_err(),
            "{bad}"
        );
    }
}

#[tokio::test]
async fn trouble_is_listed_until_its_cause_is_gone() {
    let data = data();
    let day = Duration::from_hours(24);
    let admin = admin_at(&data, Duration::from_hours(1), false);
    assert_eq!(kinds(&admin).await, ["backup_missing"]);
    let files = data.storage.items.directory();
    record::add(files, samples::NOW, "b".as_ref(), (1, 0)).unwrap();
    assert_eq!(kinds(&admin).await, [""; 0]);
    let week_later = admin_at(&data, day * 9, false);
    assert_eq!(kinds(&week_later).await, ["backup_old"]);
    record::add(files, samples::NOW, "c".as_ref(), (1, 2)).unwrap();
    assert_eq!(kinds(&admin).await, ["backup_incomplete"]);
    let local = admin_at(&data, Duration::from_hours(1), true);
    assert_eq!(kinds(&local).await, [""; 0]);

    ask(&local, "app create shop --max-open-confirmations 5")
        .await
        .unwrap();
    ask(&local, "app webhook-secret shop --rotate")
        .await
        .unwrap();
    assert_eq!(kinds(&local).await, ["secret_rotation"]);
    ask(&local, "webhook-secret replace").await.unwrap();
    assert_eq!(
        kinds(&local).await,
        ["secret_rotation", "secret_replacement"]
    );
    ask(&local, "webhook-secret retire").await.unwrap();
    let retire = RetireWebhookSecret {
        app: "shop".parse().unwrap(),
    };
    execute(&local, retire).await.unwrap();
    assert_eq!(kinds(&local).await, [""; 0]);
}

#[tokio::test]
async fn quotas_are_reported_before_they_are_used_up() {
    let data = data();
    let open = admin_at(&data, Duration::ZERO, true);
    ask(&open, "app create shop --max-open-confirmations 5")
        .await
        .unwrap();
    for n in 1..=4 {
        put(&data, of_app("shop", samples::acquisition(n))).await;
        let expected: &[&str] = if n == 4 { &["quota_nearly_used"] } else { &[] };
        assert_eq!(kinds(&open).await, expected, "{n}");
    }
    let items = send::<ListAttention>(&open, json!({})).await;
    assert_eq!(
        items[0]["title"],
        "shop has 4 of at most 5 open confirmations"
    );
    assert_eq!(
        items[0]["step"],
        "countersign app update shop --max-open-confirmations N"
    );
    // They expire by themselves.
    let expired = admin_at(&data, Duration::from_mins(10), true);
    assert_eq!(kinds(&expired).await, [""; 0]);
}

#[tokio::test]
async fn failing_receiver_is_named_with_its_last_answer() {
    let data = data();
    let admin = admin_at(&data, Duration::from_hours(1), true);
    ask(&admin, "app create shop").await.unwrap();
    let verified = |n| {
        let item = of_app("shop", samples::acquisition(n));
        samples::verified(&item, &samples::text(1), samples::NOW)
    };
    let with = |n, attempts: u32, progress: Option<Progress>| {
        samples::with_delivery(&verified(n), |delivery| {
            delivery.attempts = (1..=attempts).map(|n| samples::attempt(n, 503)).collect();
            delivery.progress = progress.unwrap_or_else(|| delivery.progress.clone());
        })
    };
    // One failed attempt is usual, and an accepted webhook is no trouble.
    put(&data, with(1, 1, None)).await;
    put(
        &data,
        with(2, 3, Some(Progress::Delivered { at: samples::NOW })),
    )
    .await;
    assert_eq!(kinds(&admin).await, [""; 0]);
    put(&data, with(3, 2, None)).await;
    put(
        &data,
        with(4, 9, Some(Progress::Failed { at: samples::NOW })),
    )
    .await;
    let items = send::<ListAttention>(&admin, json!({})).await;
    assert_eq!(items[0]["kind"], "receiver_failing");
    assert_eq!(
        items[0]["title"],
        "https://example.com does not accept webhooks of shop"
    );
    let detail = items[0]["detail"].as_str().unwrap();
    assert!(
        detail.contains("1 given up, 1 waiting for another attempt"),
        "{detail}"
    );
    assert!(detail.ends_with("It last answered 503."), "{detail}");
    let yesterday = admin_at(&data, Duration::from_hours(25), true);
    assert_eq!(kinds(&yesterday).await, [""; 0]);
}

#[tokio::test]
async fn system_has_the_size_and_check_of_the_store_and_the_backups() {
    let data = data();
    let admin = admin_at(&data, Duration::ZERO, true);
    let files = data.storage.items.directory();
    record::add(files, samples::NOW, "/backups/monday".as_ref(), (4711, 0)).unwrap();
    let facts = send::<ShowSystem>(&admin, json!({})).await;
    assert_eq!(facts["version"], env!("CARGO_PKG_VERSION"));
    assert!(facts["store"]["bytes"].as_u64().unwrap() > 4096);
    assert_eq!(facts["store"]["damaged"], 0);
    let backup = json!({ "at": samples::NOW.to_string(), "name": "/backups/monday", "bytes": 4711, "lacks": 0 });
    assert_eq!(facts["backups"], json!([backup]));
    for absent in ["startedAt", "url", "table"] {
        assert_eq!(facts.get(absent), None);
    }
}
