//! Quotas: the number of sessions that an app may start.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use countersign_api::RateLimits;
use countersign_domain::app::App;
use countersign_domain::app::api_key::{KeyMode, PresentedApiKey};
use countersign_domain::app::quota::QuotaSettings;
use countersign_domain::primitives::storage::{StorageCondition, StorageHealth};
use http::HeaderValue;
use serde_json::{Value, json};

use crate::host::{
    Answer, BROWSER, CALLBACK, Host, Opened, PERSON, RECEIPT, SEND_TO, SHOP, id_of, keyed,
};
use crate::logins::approvals::{confirmed_checked, type_digits};
use crate::logins::tests::{opened_with, test_key};
use crate::phone_registrations::passkeys;
use crate::phone_registrations::world::{Setup, on, software_key};
use crate::routes::association_keys::{private_key, register};

const ACQUIRE: &str = "/acquire-phone-number";

/// Creates a host whose app may start two sessions in a burst, and one more each second.
async fn of_two() -> Host {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.confirmations = settings(2, 100))
        .await;
    host
}

fn settings(burst: u32, max_open: u32) -> QuotaSettings {
    QuotaSettings {
        per_minute: NonZeroU32::new(60),
        burst: NonZeroU32::new(burst),
        max_open: NonZeroU32::new(max_open),
    }
}

async fn acquire(host: &Host) -> Answer {
    host.post(ACQUIRE, json!({"callbackUrl": CALLBACK})).await
}

async fn idempotent(host: &Host, key: &'static str) -> Answer {
    let body = json!({"callbackUrl": CALLBACK}).to_string();
    let mut request = keyed(&host.key, "POST", ACQUIRE, body);
    let key = HeaderValue::from_static(key);
    request.headers_mut().insert("idempotency-key", key);
    host.send(request).await
}

#[tokio::test]
async fn only_the_app_beyond_its_rate_waits() {
    let host = of_two().await;
    for _ in 0..2 {
        assert_eq!(acquire(&host).await.status, 200);
    }
    let refused = acquire(&host).await;
    assert_eq!(refused.code(), "app_rate_exceeded");
    assert_eq!(refused.header("retry-after"), Some("1"));
    let confirm = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON});
    let confirm = host.post("/make-confirmation", confirm).await;
    assert_eq!(confirm.code(), "app_rate_exceeded", "one quota for both");
    let counted = host.metrics.take();
    assert_eq!(
        counted,
        ["created", "created", "rate_exceeded", "rate_exceeded"]
    );

    let stranger = host.stranger().await;
    let body = json!({"callbackUrl": CALLBACK}).to_string();
    let other = host.send(keyed(&stranger, "POST", ACQUIRE, body)).await;
    assert_eq!(other.status, 200);
    host.clock.advance(Duration::from_secs(1));
    assert_eq!(acquire(&host).await.status, 200);
}

#[tokio::test]
async fn replay_does_not_count_against_the_quota() {
    let host = of_two().await;
    for key in ["a", "b"] {
        assert_eq!(idempotent(&host, key).await.status, 200);
    }
    for _ in 0..5 {
        assert_eq!(idempotent(&host, "a").await.status, 200);
    }
    assert_eq!(idempotent(&host, "c").await.code(), "app_rate_exceeded");
}

#[tokio::test]
async fn open_confirmation_is_verified_at_the_cap_and_makes_room() {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.confirmations = settings(9, 1))
        .await;
    let begun = acquire(&host).await.json();
    let refused = acquire(&host).await;
    assert_eq!(refused.code(), "app_open_exceeded");
    assert_eq!(refused.header("retry-after"), Some("300"));
    let message = begun["confirmationMessage"].as_str().unwrap();
    assert_eq!(host.text("t", PERSON, SEND_TO, message).await.status, 200);
    let path = format!(
        "/confirmations/{}",
        begun["confirmationId"].as_str().unwrap()
    );
    let status = host.call("GET", &path, None).await.json();
    assert_eq!(status["status"], "verified");
    assert_eq!(acquire(&host).await.status, 200);
}

#[tokio::test]
async fn logins_have_a_quota_of_their_own() {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.logins = settings(2, 1))
        .await;
    let open = || host.open_from(SHOP, BROWSER, json!({}));
    assert_eq!(open().await.status, 200);
    assert_eq!(open().await.code(), "app_open_exceeded");
    host.clock.advance(Duration::from_mins(1));
    assert_eq!(open().await.status, 200);
    host.change_app(|app| app.quotas.logins = settings(1, 9))
        .await;
    assert_eq!(open().await.status, 200);
    assert_eq!(open().await.code(), "app_rate_exceeded");
    assert_eq!(acquire(&host).await.status, 200);
    let counted = host.metrics.take();
    assert!(counted.contains(&"qr_open_exceeded"), "{counted:?}");
    assert!(counted.contains(&"qr_rate_exceeded"), "{counted:?}");
}

/// An app at its quota must still get an answer that the browser lost.
#[tokio::test]
async fn repeated_request_for_a_login_needs_no_quota() {
    let host = Host::new().await;
    host.change_app(|app| app.quotas.logins = settings(1, 1))
        .await;
    let token = host.browser_token();
    for _ in 0..3 {
        let answer = host.open_as(&token, (SHOP, BROWSER), json!({})).await;
        assert_eq!(answer.status, 200);
    }
    let another = host.open_from(SHOP, BROWSER, json!({})).await;
    assert_eq!(another.status, 429);
}

#[tokio::test]
async fn quotas_are_lifted_with_the_limits() {
    let host = Host::with(|parts| parts.rate_limits = RateLimits::Lifted).await;
    host.change_app(|app| app.quotas.confirmations = settings(1, 1))
        .await;
    for _ in 0..9 {
        assert_eq!(acquire(&host).await.status, 200);
    }
}

#[tokio::test]
async fn only_the_app_that_lists_too_often_waits() {
    let host = Host::new().await;
    let stranger = host.stranger().await;
    host.change_app(|app| app.quotas.lists = settings(2, 9))
        .await;
    let list = async |path: &str| host.call("GET", path, None).await;
    // A malformed request is not counted.
    assert_eq!(list("/confirmations?limit=0").await.status, 422);
    assert_eq!(list("/confirmations").await.status, 200);
    assert_eq!(list("/qr-sessions").await.status, 200);
    for path in ["/confirmations", "/qr-sessions"] {
        let refused = list(path).await;
        assert_eq!(refused.status, 429);
        assert_eq!(refused.code(), "app_lists_exceeded", "{path}");
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    let others = host.send(keyed(&stranger, "GET", "/confirmations", ""));
    assert_eq!(others.await.status, 200);
    assert_eq!(acquire(&host).await.status, 200, "starts go on");
    host.clock.advance(Duration::from_secs(1));
    assert_eq!(list("/confirmations").await.status, 200);
    let lifted = Host::with(|parts| parts.rate_limits = RateLimits::Lifted).await;
    lifted
        .change_app(|app| app.quotas.lists = settings(1, 1))
        .await;
    for _ in 0..3 {
        let answer = lifted.call("GET", "/confirmations", None).await;
        assert_eq!(answer.status, 200);
    }
}

/// Storage whose space runs out.
struct LowStorage;

impl StorageHealth for LowStorage {
    fn condition(&self) -> StorageCondition {
        StorageCondition::Low
    }
}

/// Returns the table of docs/operations.md: each route that writes, its bound, and its behavior when
/// space runs out.
fn bounds() -> BTreeMap<String, (String, String)> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/operations.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, table) = text
        .split_once("Every route that writes is bounded:")
        .unwrap();
    let rows = table.lines().skip_while(|line| !line.starts_with("|---"));
    rows.skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<_> = line.split('|').map(str::trim).collect();
            let route = cells[1].trim_matches('`').to_owned();
            (route, (cells[2].to_owned(), cells[3].to_owned()))
        })
        .collect()
}

/// Sends a route's `n`th request for something new.
async fn ask_new(host: &Host, route: &str, n: u8) -> Answer {
    let body = json!({"callbackUrl": CALLBACK, "phoneNumber": PERSON});
    match route {
        "POST /acquire-phone-number" => acquire(host).await,
        "POST /make-confirmation" => host.post("/make-confirmation", body).await,
        "POST /qr-sessions" => host.open_from(SHOP, BROWSER, json!({})).await,
        "POST /association-keys" => register(host, "zoe", n).await,
        other => panic!("{other} starts nothing that is known"),
    }
}

async fn set_quotas(host: &Host, quota: QuotaSettings) {
    host.change_app(|app| {
        app.quotas.confirmations = quota;
        app.quotas.logins = quota;
        app.quotas.association_keys = quota;
    })
    .await;
}

async fn new_ones_are_bounded(route: &str) {
    for (quota, codes) in [
        (settings(1, 9), ["app_rate_exceeded", "app_rate_exceeded"]),
        (
            settings(9, 1),
            ["app_open_exceeded", "app_association_keys_exceeded"],
        ),
    ] {
        let host = Host::new().await;
        set_quotas(&host, quota).await;
        assert_eq!(ask_new(&host, route, 1).await.status, 200, "{route}");
        let before = stored(&host);
        let code = ask_new(&host, route, 2).await.code();
        assert!(codes.contains(&code.as_str()), "{route}: {code}");
        assert_eq!(stored(&host), before, "{route}");
    }
    let full = Host::with(|parts| parts.storage = Arc::new(LowStorage)).await;
    let refused = ask_new(&full, route, 1).await;
    assert_eq!(refused.code(), "storage_low", "{route}");
    assert_eq!(refused.header("retry-after"), Some("60"), "{route}");
}

/// Phone registrations have the rate of association keys.
async fn registrations_are_bounded() {
    let limit = |app: &mut App| {
        on(app);
        app.quotas.association_keys = settings(1, 9);
    };
    let body = json!({"publicUserId": "zoe"});
    let host = Host::new().await;
    host.change_app(limit).await;
    assert_eq!(host.create_with(&host.key, &body).await.status, 200);
    let before = stored(&host);
    let refused = host.create_with(&host.key, &body).await;
    assert_eq!(refused.code(), "app_rate_exceeded");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(stored(&host), before);
    let full = Host::with(|parts| parts.storage = Arc::new(LowStorage)).await;
    full.change_app(on).await;
    let refused = full.create_with(&full.key, &body).await;
    assert_eq!(refused.code(), "storage_low");
}

/// Returns everything in the stores.
fn stored(host: &Host) -> String {
    format!("{:?}", host.items.items.all())
}

/// A request that changes something only once.
enum Change {
    Keyed(&'static str, String),
    Initiate(Opened),
    Confirm(Opened),
    Deny(Opened),
    Redeem(Opened),
    Cancel(Opened),
    Simulated(PresentedApiKey, Value),
    Expire(PresentedApiKey, Opened),
    CheckCode(Opened, String),
    Text(String),
    Phone(Setup, PhoneStep),
}

/// A step of setting a phone up.
#[derive(Clone, Debug)]
enum PhoneStep {
    Open,
    Sign,
    Type(String),
}

impl Change {
    /// Prepares a request for a route.
    async fn for_route(host: &Host, route: &str) -> Self {
        match route {
            "DELETE /confirmations/{id}" => {
                let id = id_of(&host.acquire().await);
                Self::Keyed("DELETE", format!("/confirmations/{id}"))
            }
            "POST /confirmations/{id}/redact" => {
                let id = host.verified().await;
                host.deliver(id).await;
                Self::Keyed("POST", format!("/confirmations/{id}/redact"))
            }
            "DELETE /association-keys/{keyId}" => {
                register(host, "zoe", 1).await;
                let id = private_key(1).public_key().key_id();
                Self::Keyed("DELETE", format!("/association-keys/{id}"))
            }
            "DELETE /phone-registrations/{id}" => {
                host.change_app(on).await;
                let path = host.set_up().await.path("");
                Self::Keyed("DELETE", path)
            }
            "POST /phone-registrations/{id}/open" => {
                host.change_app(on).await;
                Self::Phone(host.set_up().await, PhoneStep::Open)
            }
            "POST /phone-registrations/{id}/sign" => {
                host.change_app(on).await;
                let setup = host.set_up().await;
                host.open_link(&setup, 1).await;
                Self::Phone(setup, PhoneStep::Sign)
            }
            "POST /phone-registrations/{id}/digits" => {
                host.change_app(on).await;
                let setup = host.set_up().await;
                let digits = host.digits_of(&setup, 1).await;
                Self::Phone(setup, PhoneStep::Type(digits))
            }
            "POST /simulated-texts" => {
                let key = PresentedApiKey::generate_for(KeyMode::Test, &*host.entropy);
                host.add_key(&"demo".parse().unwrap(), &key).await;
                let body = json!({"callbackUrl": CALLBACK}).to_string();
                let begun = keyed(&key, "POST", "/acquire-phone-number", body);
                let text = host.send(begun).await.json()["confirmationMessage"].clone();
                let text = json!({"from": PERSON, "to": SEND_TO, "text": text});
                Self::Simulated(key, text)
            }
            "POST /qr-sessions/{id}/expire" => {
                let key = test_key(host, "demo").await;
                let (opened, _) = opened_with(host, &key).await;
                Self::Expire(key, opened)
            }
            "POST /qr-sessions/{id}/check-code" => {
                let (page, digits) = confirmed_checked(host).await;
                Self::CheckCode(page, digits)
            }
            "POST /qr-sessions/{id}/initiate" => Self::Initiate(host.open().await),
            "POST /qr-sessions/{id}/confirm" => Self::Confirm(host.scanned().await),
            "POST /qr-sessions/{id}/deny" => Self::Deny(host.scanned().await),
            "POST /qr-sessions/{id}/redeem" => Self::Redeem(host.confirmed().await),
            "DELETE /qr-sessions/{id}" => Self::Cancel(host.open().await),
            "POST /inbound-sms/generic" | "POST /inbound-sms/{provider}" => {
                let begun = host.acquire().await;
                Self::Text(begun["confirmationMessage"].as_str().unwrap().to_owned())
            }
            other => panic!("{other} changes nothing that is known"),
        }
    }

    async fn make(&self, host: &Host) -> Answer {
        match self {
            Self::Keyed(method, path) => host.call(method, path, None).await,
            Self::Initiate(opened) => host.initiate(opened, 1, json!({})).await,
            Self::Confirm(opened) => host.confirm(opened, 1, "yes").await,
            Self::Deny(opened) => host.deny(opened, 1).await,
            Self::Redeem(opened) => host.redeem(opened, RECEIPT).await,
            Self::Cancel(opened) => host.browser("DELETE", opened, "").await,
            Self::Simulated(key, text) => {
                let request = keyed(key, "POST", "/simulated-texts", text.to_string());
                host.send(request).await
            }
            Self::Expire(key, opened) => {
                let path = opened.path("/expire");
                host.send(keyed(key, "POST", &path, "")).await
            }
            Self::CheckCode(page, digits) => type_digits(host, page, digits).await,
            Self::Phone(setup, PhoneStep::Open) => host.open_link(setup, 1).await,
            Self::Phone(setup, PhoneStep::Sign) => {
                host.sign(setup, 1, &software_key(1, "zoe")).await
            }
            Self::Phone(setup, PhoneStep::Type(digits)) => host.type_digits(setup, digits).await,
            Self::Text(text) => host.text("t", PERSON, SEND_TO, text).await,
        }
    }
}

/// A route that is added to the API must be added to the manual's table, with a correct bound.
#[tokio::test]
async fn every_route_that_writes_has_the_bound_of_the_manual() {
    let bounds = bounds();
    let described = Host::new().await.call("GET", "/openapi.json", None).await;
    let described = described.json();
    let mut writing = BTreeSet::new();
    for (path, operations) in described["paths"].as_object().unwrap() {
        for method in ["post", "put", "patch", "delete"] {
            if operations.get(method).is_some() {
                writing.insert(format!("{} {path}", method.to_uppercase()));
            }
        }
    }
    let listed: BTreeSet<_> = bounds.keys().cloned().collect();
    assert_eq!(listed, writing);
    for (route, (bound, when_low)) in &bounds {
        let kind = bound.split([',', ' ']).next().unwrap();
        let is_refused = match (kind, bound.as_str()) {
            ("rate", "rate and number") => {
                new_ones_are_bounded(route).await;
                true
            }
            ("rate", _) if route == "POST /phone-registrations" => {
                registrations_are_bounded().await;
                true
            }
            ("rate", _) => {
                let host = Host::new().await;
                let id = host.verified().await;
                set_quotas(&host, settings(1, 9)).await;
                let path = route
                    .strip_prefix("POST ")
                    .unwrap()
                    .replace("{id}", &id.to_string());
                assert_eq!(host.call("POST", &path, None).await.status, 202, "{route}");
                let refused = host.call("POST", &path, None).await;
                assert_eq!(refused.code(), "app_rate_exceeded", "{route}");
                assert_eq!(refused.header("retry-after"), Some("1"), "{route}");
                host.clock.advance(Duration::from_secs(1));
                assert_eq!(host.call("POST", &path, None).await.status, 202, "{route}");
                false
            }
            ("once", _) => {
                let host = Host::new().await;
                let change = Change::for_route(&host, route).await;
                let before = stored(&host);
                change.make(&host).await;
                let after = stored(&host);
                assert_ne!(after, before, "{route}");
                change.make(&host).await;
                assert_eq!(stored(&host), after, "{route}");
                false
            }
            ("nothing", _) => {
                assert_eq!(route, "POST /passkeys/identify");
                let host = Host::new().await;
                host.change_app(on).await;
                let before = stored(&host);
                let passkey = passkeys::passkey(1);
                let unknown = passkeys::identify(&host, &passkey, 0).await;
                assert_eq!(unknown.code(), "passkey_unknown");
                assert_eq!(stored(&host), before, "{route}");
                false
            }
            _ => panic!("{route}: unknown bound {bound}"),
        };
        assert_eq!(when_low == "refused", is_refused, "{route}");
    }
}
