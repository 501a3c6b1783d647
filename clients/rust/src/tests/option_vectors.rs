//! Vectors of options, URLs and mounted handlers.

use std::time::Duration;

use serde_json::Value;

use super::vectors::{cases, is_ruled_out, text, vectors};
use crate::builder::Builder;
use crate::client::Countersign;
use crate::error::{BoxError, Error};
use crate::handlers::{LoginHandler, WebhookHandler};

/// Returns a builder with options, or `None` if Rust cannot represent one of them.
fn builder(options: &Value) -> Option<Builder> {
    let empty = serde_json::Map::new();
    let options = options.as_object().unwrap_or(&empty);
    if options.values().any(Value::is_null) {
        return None;
    }
    let given = |name: &str, usual: &str| {
        options
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or(usual)
            .to_owned()
    };
    let mut builder = Countersign::builder(
        given("url", "https://countersign.example"),
        given("apiKey", "cs_live_secret"),
    );
    for (name, value) in options {
        let text = || value.as_str().unwrap();
        builder = match name.as_str() {
            "url" | "apiKey" => builder,
            "appKey" => builder.app_key(text()),
            "webhookSecret" if value.is_array() => {
                let secrets = value.as_array().unwrap();
                builder.webhook_secrets(
                    secrets
                        .iter()
                        .map(Value::as_str)
                        .collect::<Option<Vec<_>>>()?,
                )
            }
            "webhookSecret" => builder.webhook_secret(text()),
            "webhookKeys" if value == "published" => builder.published_webhook_keys(),
            "keyRefetchSeconds" => builder.key_refetch(seconds(value)?),
            "timeout" => builder.timeout(seconds(value)?),
            "maxRetries" => builder.max_retries(u32::try_from(value.as_i64().unwrap()).ok()?),
            _ => panic!("unknown option {name}"),
        };
    }
    Some(builder)
}

/// Returns a duration, which is never negative.
fn seconds(value: &Value) -> Option<Duration> {
    Duration::try_from_secs_f64(value.as_f64().unwrap()).ok()
}

#[test]
fn options_are_checked() {
    let mut compared = 0;
    for case in cases(&vectors()["options"]) {
        let name = text(case, "name");
        let set = &case["set"];
        let Some(builder) = (!is_ruled_out(case)).then(|| builder(set)).flatten() else {
            assert_eq!(
                case["ok"], false,
                "{name}: the compiler rules out what is right"
            );
            continue;
        };
        compared += 1;
        let built = builder.build();
        assert_eq!(built.is_ok(), case["ok"] == true, "{name}: {built:?}");
        let Err(error) = built else { continue };
        let secrets = set
            .as_object()
            .unwrap()
            .values()
            .filter_map(Value::as_str)
            .filter(|text| text.len() > 9);
        for secret in secrets {
            assert!(
                !format!("{error} {error:?}").contains(secret.trim()),
                "{name} is quoted: {error}"
            );
        }
    }
    assert_eq!(compared, 35);
}

#[test]
fn urls_are_checked() {
    for case in cases(&vectors()["urls"]) {
        let url = text(case, "url");
        for (member, unencrypted) in [("becomes", false), ("becomesUnencrypted", true)] {
            let builder = Countersign::builder(url, "cs_live_secret");
            let builder = if unencrypted {
                builder.allow_unencrypted_http()
            } else {
                builder
            };
            let base = builder
                .build()
                .map(|client| client.inner.service.transport.base().to_owned());
            assert_eq!(
                base.as_deref().ok(),
                case[member].as_str(),
                "{url:?} {member}"
            );
        }
    }
}

#[test]
fn handlers_are_checked_when_they_are_mounted() {
    let mut compared = 0;
    for case in cases(&vectors()["mounts"]) {
        let name = text(case, "name");
        let client = builder(&case["client"]).map(|builder| builder.build().unwrap());
        let Some(client) = client.filter(|_| !is_ruled_out(case)) else {
            assert_eq!(
                case["ok"], false,
                "{name}: the compiler rules out what is right"
            );
            continue;
        };
        compared += 1;
        let mounted = mount(&client, text(case, "handler"), &case["set"]);
        assert_eq!(mounted.is_ok(), case["ok"] == true, "{name}: {mounted:?}");
    }
    assert_eq!(compared, 31);
}

fn mount(client: &Countersign, handler: &str, set: &Value) -> Result<(), Error> {
    let done = || std::future::ready(Ok::<(), BoxError>(()));
    if handler == "webhook" {
        let given = |name: &str, usual: &str| {
            set.get(name).map_or(usual, |value| value.as_str().unwrap()) == "callback"
        };
        let mut builder = WebhookHandler::builder(client);
        if given("onVerified", "callback") {
            builder = builder.on_verified(move |_| done());
        }
        if given("onLogin", "absent") {
            builder = builder.on_login(move |_| done());
        }
        if given("onPhoneRegistered", "absent") {
            builder = builder.on_phone_registered(move |_| done());
        }
        return builder.build().map(|_| ());
    }
    let origin = set
        .get("origin")
        .map_or("https://shop.example", |origin| origin.as_str().unwrap());
    let found = |_| std::future::ready(Ok::<_, BoxError>(None));
    LoginHandler::builder(client, origin)
        .find_key(found)
        .map(|_| ())
}
