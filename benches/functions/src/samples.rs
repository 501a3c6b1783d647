//! The app and the confirmations that all measurements use, and their items.

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::app::code::{Code, CodePrefix};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::store::Key;
use countersign_domain::store::form::VERSION;
use serde_json::{Map, Value, json};

/// The topic that delivers texts.
pub const TOPIC: &str = "arn:aws:sns:eu-central-1:000000000000:texts";
/// The key that signs webhooks.
pub const SIGNING_KEY: &str = "arn:aws:kms:eu-central-1:000000000000:key/current";
/// The app's name.
pub const APP: &str = "shop";
/// The app's public key.
pub const APP_KEY: &str = "cs_app_0000000000000000000001";
/// The origin of the app's pages.
pub const ORIGIN: &str = "https://shop.example";
/// The number that receives texts.
pub const RECIPIENT: &str = "+12025550199";
/// The user's number.
pub const SENDER: &str = "+12025550100";
/// The secret with which the SMS provider signs.
pub const INBOUND_SECRET: [u8; 32] = [7; 32];

/// Fills every byte with the same value: the samples contain no real secret.
struct Fixed(u8);

impl Entropy for Fixed {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(self.0);
    }
}

/// Returns the app's API key.
#[must_use]
pub fn api_key() -> PresentedApiKey {
    PresentedApiKey::generate(&Fixed(1))
}

/// Returns the token of the browser that opens logins.
#[must_use]
pub fn browser_token() -> String {
    BASE64_URL_SAFE_NO_PAD.encode([3; 32])
}

/// Returns the code of the confirmation with this progress.
fn code(progress: Progress) -> Code {
    Code::generate(&Fixed(match progress {
        Progress::Open => 2,
        Progress::Owed | Progress::Claimed => 6,
        Progress::Delivered => 8,
    }))
}

/// Returns the id of the confirmation with this progress.
#[must_use]
pub fn confirmation(progress: Progress) -> ConfirmationId {
    code(progress).confirmation_id()
}

/// Returns the text that the user sends for the open confirmation.
#[must_use]
pub fn text() -> String {
    code(Progress::Open).spell(&CodePrefix::default())
}

/// Returns the settings of SMS providers.
#[must_use]
pub fn providers() -> String {
    let secret = format!("whsec_{}", BASE64_STANDARD.encode(INBOUND_SECRET));
    json!({ "generic": { "secrets": secret } }).to_string()
}

/// Returns milliseconds since the epoch.
#[must_use]
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let millis = since.expect("the clock is set").as_millis();
    u64::try_from(millis).expect("the year is below 9999")
}

/// Returns the items of the app and its key, and the item with all apps' prefixes and numbers.
#[must_use]
pub fn app_items() -> Vec<Value> {
    let id: AppId = APP.parse().expect("it is a name");
    let app_key = APP_KEY.parse().expect("it is an app key");
    let app = json!({
        "id": APP,
        "app_key": APP_KEY,
        "created_at": 1_767_323_045_678_u64,
        "default_callback": "https://shop.example/hook",
        "callback_origins": [],
        "template": "Shop: {code}",
        "prefix": "CS",
        "senders": [{ "number": RECIPIENT }],
        "login": { "link_host": "login.shop.example", "origins": [ORIGIN] },
        "quotas": {
            "confirmations": { "per_minute": 1_000_000, "burst": 1_000_000 },
            "logins": { "per_minute": 1_000_000, "burst": 1_000_000 },
        },
    });
    let hash = BASE64_URL_SAFE_NO_PAD.encode(api_key().hash().as_bytes());
    let keys = json!([{ "hash": hash, "issued_at": 1_767_323_045_678_u64 }]);
    vec![
        item(
            &Key::App(id.clone()),
            json!({ "app": app, "keys": keys, "app_list": "APPS" }),
        ),
        item(&Key::AppKey(app_key), json!({ "apps": [id] })),
        item(&Key::ApiKey(api_key().hash()), json!({ "app": APP })),
        item(
            &Key::Profile,
            json!({ "prefixes": ["CS"], "recipients": [RECIPIENT] }),
        ),
    ]
}

/// State of a confirmation. The samples contain an open confirmation, one with a pending webhook, and
/// one with a delivered webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Waits for the user's text.
    Open,
    /// Has a pending webhook.
    Owed,
    /// The first attempt for the pending webhook is claimed.
    Claimed,
    /// The webhook was delivered.
    Delivered,
}

/// Returns the item of the confirmation with this progress and with `callback` as its webhook URL.
#[must_use]
pub fn confirmation_item(progress: Progress, callback: &str) -> Value {
    let now = now();
    let owed = json!({
        "claimed": 0, "round": 0, "attempts": [],
        "progress": { "pending": { "next": now, "due": now + 60_000 } },
    });
    let delivery = match progress {
        Progress::Open => Value::Null,
        Progress::Owed => owed,
        Progress::Claimed => json!({
            "claimed": 1, "round": 0, "attempts": [],
            "progress": { "pending": { "next": now, "due": now + 60_000, "claimed": now } },
        }),
        Progress::Delivered => json!({
            "claimed": 1, "round": 0,
            "attempts": [{ "n": 1, "at": now, "ms": 42, "result": { "answered": 200 } }],
            "signature": {
                "body": BASE64_URL_SAFE_NO_PAD.encode([5; 32]),
                "key": "key-1",
                "der": BASE64_URL_SAFE_NO_PAD.encode([0x30, 6, 2, 1, 1, 2, 1, 1]),
            },
            "progress": { "delivered": { "at": now } },
        }),
    };
    let state = if progress == Progress::Open {
        json!({ "open": {} })
    } else {
        json!({ "verified": {
            "number": SENDER,
            "carrier": { "decided": "Example Mobile" },
            "at": now,
            "text": BASE64_URL_SAFE_NO_PAD.encode([4; 16]),
            "delivery": delivery,
        } })
    };
    let id = confirmation(progress);
    let mut item = item(
        &id.into(),
        json!({
            "id": id.to_string(),
            "app": APP,
            "flow": { "confirmation": { "expected": SENDER } },
            "callback": callback,
            "metadata": r#"{"orderId":"17"}"#,
            "to": RECIPIENT,
            "created": now - 30_000,
            // Later than the end of any measurement.
            "expires": now + 86_400_000,
            "state": state,
            "purge_at": now + 700_000_000,
        }),
    );
    if matches!(progress, Progress::Owed | Progress::Claimed) {
        item["due_at"] = attribute(&json!(now + 60_000));
        item["due_shard"] = attribute(&json!(id.as_bytes()[1] % 8));
    }
    item
}

/// Returns a document's item.
fn item(key: &Key, fields: Value) -> Value {
    let name = key.to_string();
    let sk = name.split('#').next().unwrap_or_default();
    let Value::Object(mut members) = fields else {
        panic!("a document is an object");
    };
    for (name, value) in [
        ("pk", json!(name)),
        ("sk", json!(sk)),
        ("v", json!(VERSION)),
        ("r", json!(3)),
    ] {
        members.insert(name.to_owned(), value);
    }
    attributes(&members)
}

/// Encodes members in DynamoDB's format.
fn attributes(members: &Map<String, Value>) -> Value {
    let members = members.iter();
    members
        .map(|(name, value)| (name.clone(), attribute(value)))
        .collect()
}

fn attribute(value: &Value) -> Value {
    match value {
        Value::Null => json!({ "NULL": true }),
        Value::Bool(value) => json!({ "BOOL": value }),
        Value::Number(number) => json!({ "N": number.to_string() }),
        Value::String(text) => json!({ "S": text }),
        Value::Array(values) => json!({ "L": values.iter().map(attribute).collect::<Vec<_>>() }),
        Value::Object(members) => json!({ "M": attributes(members) }),
    }
}
