use countersign_conformance::samples;
use countersign_domain::confirmation::Confirmation;

use super::confirmations::{admin_of, of_app, send};
use super::*;
use crate::admin::confirmations::{FindConfirmations, RedeliverFailed, ShowWebhooks};
use crate::admin::link_host::CheckLinkHost;

/// Returns a confirmation of an app whose webhook was given up.
fn failed(app: &str, n: u8) -> Confirmation {
    let states = samples::confirmations::in_every_state();
    let failed = states.into_iter().find(|(name, _)| *name == "failed");
    let failed = Confirmation {
        id: samples::confirmation(n).id,
        ..failed.unwrap().1
    };
    let failed = samples::with_delivery(&failed, |delivery| {
        delivery.attempts = vec![samples::attempt(1, 500)];
    });
    of_app(app, failed)
}

fn since() -> String {
    let since = samples::before(samples::NOW, Duration::from_hours(24));
    since.to_string()
}

async fn still_failed(admin: &Admin, app: &str) -> usize {
    let search = json!({ "app": app, "failed": true, "limit": 100 });
    let found = send::<FindConfirmations>(admin, search).await.unwrap();
    found["items"].as_array().unwrap().len()
}

#[tokio::test]
async fn failed_webhooks_are_sent_again_in_a_bounded_number() {
    let data = data();
    let redacted = Confirmation {
        redacted_at: Some(samples::NOW),
        ..failed("shop", 250)
    };
    let items = (1..=203).map(|n| failed("shop", n));
    let items = items.chain([redacted, failed("bank", 251)]);
    let admin = admin_of(&data, items).await;
    let request = json!({ "app": "shop", "since": since() });
    let first = send::<RedeliverFailed>(&admin, request.clone()).await;
    let first = first.unwrap();
    assert_eq!(first["redelivered"], 200);
    assert_eq!(first["complete"], true);
    let rest = first["leftOut"].as_u64().unwrap() + first["skipped"].as_u64().unwrap();
    assert_eq!(rest, 4);
    let second = send::<RedeliverFailed>(&admin, request.clone()).await;
    let second = second.unwrap();
    assert_eq!(second["redelivered"], 3);
    assert_eq!(
        (&second["leftOut"], &second["skipped"]),
        (&json!(0), &json!(1))
    );
    // Other apps keep theirs, and what is erased stays failed.
    assert_eq!(still_failed(&admin, "bank").await, 1);
    assert_eq!(still_failed(&admin, "shop").await, 1);

    let records = ask(&admin, "audit --app shop").await.unwrap();
    let records = records.as_array().unwrap().iter();
    let ours: Vec<_> = records
        .filter(|record| record["action"] == "redeliver_failed")
        .collect();
    assert_eq!(ours.len(), 2);
    assert_eq!(ours[0]["details"], json!({ "since": since() }));

    let later =
        json!({ "app": "bank", "since": samples::NOW.plus(Duration::from_secs(1)).to_string() });
    let none = send::<RedeliverFailed>(&admin, later).await.unwrap();
    assert_eq!(
        (&none["redelivered"], &none["examined"]),
        (&json!(0), &json!(0))
    );
    let unknown = send::<RedeliverFailed>(&admin, json!({ "app": "x", "since": since() })).await;
    assert!(
        matches!(unknown, Err(AdminError::UnknownApp(_))),
        "{unknown:?}"
    );
    for bad in [
        json!({ "app": "shop" }),
        json!({ "app": "shop", "since": "yesterday" }),
    ] {
        assert!(
            serde_json::from_value::<RedeliverFailed>(bad.clone()).is_err(),
            "{bad}"
        );
    }
}

#[test]
fn command_names_the_app_and_the_time_of_what_has_failed() {
    let parse = |line: &str| {
        let words = std::iter::once("countersign").chain(line.split(' '));
        Cli::try_parse_from(words).map(|cli| match cli.command {
            Subcommand::Confirmations(args) => args.operators().is_some(),
            other => panic!("{other:?}"),
        })
    };
    let line = "confirmations redeliver --failed --since 2026-01-02T03:04:05Z --app shop";
    assert!(parse(line).unwrap());
    let of_the_app = "confirmations redeliver --failed-since 2026-01-02T03:04:05Z";
    assert!(!parse(of_the_app).unwrap());
    for bad in [
        "confirmations redeliver --failed --app shop",
        "confirmations redeliver --failed --since 2026-01-02T03:04:05Z",
        "confirmations redeliver --app shop --since 2026-01-02T03:04:05Z",
        "confirmations redeliver cfm_00112233445566778899aabbccddeeff --app shop",
    ] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn receivers_are_summed_up() {
    let data = data();
    let delivered = samples::confirmations::in_every_state();
    let delivered = delivered.into_iter().find(|(name, _)| *name == "delivered");
    let delivered = of_app("shop", delivered.unwrap().1);
    let open = of_app("shop", samples::confirmation(9));
    let admin = admin_of(
        &data,
        vec![delivered, failed("shop", 2), failed("bank", 3), open],
    )
    .await;
    let request = json!({ "app": "shop", "since": since() });
    let shown = send::<ShowWebhooks>(&admin, request).await.unwrap();
    assert_eq!(shown["complete"], true);
    assert_eq!(shown["examined"], 3);
    let receivers = shown["receivers"].as_array().unwrap();
    assert_eq!(receivers.len(), 1, "{shown}");
    let receiver = &receivers[0];
    let numbers = ["delivered", "failed", "pending"].map(|name| receiver[name].as_u64());
    assert_eq!(numbers, [Some(1), Some(1), Some(0)]);
    assert!(receiver["p50Ms"].as_u64() <= receiver["p95Ms"].as_u64());
    assert_eq!(receiver["lastFailure"]["status"], 500, "{shown}");
    assert_eq!(receiver["origin"], "https://example.com");
}

#[tokio::test]
async fn link_host_of_local_mode_is_said_to_be_out_of_reach() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, true, None);
    ask(&admin, "app create shop").await.unwrap();
    let request = || serde_json::from_value::<CheckLinkHost>(json!({ "app": "shop" })).unwrap();
    let (none, _) = execute(&admin, request()).await.unwrap();
    assert_eq!(none["linkHost"], Value::Null);
    assert_eq!(none["checks"][0]["ok"], false);

    // Nothing listens on this port of the machine.
    let update = "app update shop --link-host localhost:1 --ios ABCDE12345.com.example.shop";
    ask(&admin, update).await.unwrap();
    let answer = admin.execute(request(), "anna").await.unwrap();
    assert!(!answer.is_success());
    let text = answer.text();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], "Link host: localhost:1");
    assert!(lines[2].starts_with("BAD  DNS "), "{text}");
    assert!(lines[2].contains("--public-url"), "{text}");
    assert!(lines[3].contains("There is none in local mode"), "{text}");
    assert!(lines[4].starts_with("ok   assetlinks.json"), "{text}");
    assert!(
        lines[5].contains("The host did not answer: no connection"),
        "{text}"
    );
}

#[tokio::test]
async fn link_host_inside_a_network_is_not_called() {
    let data = data();
    let admin = Admin::of_storage(&data.storage, false, None);
    let create = "app create shop --sender +12025550199 --link-host";
    for (app, host) in [
        ("a", "login.internal"),
        ("b", "login"),
        ("c", "shop.example:22"),
    ] {
        let create = create.replace("shop", app);
        ask(&admin, &format!("{create} {host}")).await.unwrap();
        let request = serde_json::from_value::<CheckLinkHost>(json!({ "app": app })).unwrap();
        let (checked, _) = execute(&admin, request).await.unwrap();
        let checks = checked["checks"].as_array().unwrap();
        assert_eq!(checks.len(), 1, "{checked}");
        let sentence = checks[0]["sentence"].as_str().unwrap();
        let why = if app == "c" {
            "Port 22 is not one that this service connects to."
        } else {
            "Such a name is not on the Internet."
        };
        assert!(sentence.starts_with(why), "{sentence}");
    }
}
