//! The app, the confirmation and the login that all measurements are about, and their items.

use std::time::{SystemTime, UNIX_EPOCH};

use base16ct::lower;
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use countersign_domain::app::api_key::PresentedApiKey;
use countersign_domain::app::code::{Code, CodePrefix};
use countersign_domain::primitives::entropy::Entropy;
use countersign_domain::primitives::ids::ConfirmationId;
use countersign_records::VERSION;
use serde_json::{Value, json};

/// The topic that brings texts.
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
/// The person's number.
pub const SENDER: &str = "+12025550100";
/// The secret with which the sender of texts signs.
pub const INBOUND_SECRET: [u8; 32] = [7; 32];

/// Fills every byte with the same value: the samples hold no secret.
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

/// Returns the code that the person sends.
fn code() -> Code {
    Code::generate(&Fixed(2))
}

/// Returns the id of the confirmation.
#[must_use]
pub fn confirmation() -> ConfirmationId {
    code().confirmation_id()
}

/// Returns the text that the person sends.
#[must_use]
pub fn text() -> String {
    code().spell(&CodePrefix::default())
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

/// Returns the item of the app, with its key.
#[must_use]
pub fn app_item() -> Value {
    let hash = api_key().hash();
    let quota = json!({ "M": { "per_minute": number(1_000_000), "burst": number(1_000_000) } });
    json!({
        "pk": string("APPS"),
        "sk": string(&format!("APP#{APP}")),
        "v": number(u64::from(VERSION)),
        "r": number(2),
        "w": bytes(&[1; 8]),
        "c": number(1_767_323_045_678),
        "k": string(APP_KEY),
        "m": string("Shop: {code}"),
        "n": { "L": [{ "M": { "n": string(RECIPIENT) } }] },
        "u": string("https://shop.example/hook"),
        "x": string("CS"),
        "l": { "M": {
            "link_host": string("login.shop.example"),
            "origins": { "L": [string(ORIGIN)] },
        } },
        "q": { "M": { "confirmations": quota, "logins": quota } },
        "ka": number(1),
        "keys": { "M": { hash.id().as_str(): { "M": {
            "h": bytes(hash.as_bytes()),
            "i": number(1_767_323_045_678),
        } } } },
    })
}

/// Returns the item that names the app of its key.
#[must_use]
pub fn pointer_item() -> Value {
    json!({
        "pk": string(&format!("KEY#{}", lower::encode_string(api_key().hash().as_bytes()))),
        "sk": string("KEY"),
        "v": number(u64::from(VERSION)),
        "r": number(1),
        "a": string(APP),
    })
}

/// Returns the item with every app's prefixes and numbers.
#[must_use]
pub fn profile_item() -> Value {
    json!({
        "pk": string("PROFILE"),
        "sk": string("PROFILE"),
        "v": number(u64::from(VERSION)),
        "r": number(1),
        "x": { "SS": ["CS"] },
        "n": { "SS": [RECIPIENT] },
    })
}

/// How far the confirmation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Its webhook is owed.
    Owed,
    /// The first attempt is claimed.
    Claimed,
    /// The webhook was delivered.
    Delivered,
}

/// Returns the item of the confirmation, whose webhook goes to `callback`.
#[must_use]
pub fn confirmation_item(progress: Progress, callback: &str) -> Value {
    let now = now();
    let mut item = json!({
        "pk": string(&format!("CFM#{}", lower::encode_string(confirmation().as_bytes()))),
        "sk": string("CFM"),
        "v": number(u64::from(VERSION)),
        "r": number(3),
        "w": bytes(&[1; 8]),
        "ttl": number(now / 1000 + 700_000),
        "a": string(APP),
        "c": number(now - 30_000),
        "x": number(now + 270_000),
        "p": number(now + 700_000_000),
        "f": string("c"),
        "e": string(SENDER),
        "m": string(r#"{"orderId":"17"}"#),
        "to": string(RECIPIENT),
        "u": string(callback),
        "s": string("v"),
        "n": string(SENDER),
        "nc": string("Example Mobile"),
        "vt": number(now),
        "vx": bytes(&[4; 16]),
        "g": number(0),
        "da": { "L": [] },
        "db": number(0),
        "dn": number(0),
    });
    let members = item.as_object_mut().expect("it is an object");
    let mut set = |name: &str, value: Value| members.insert(name.to_owned(), value);
    if progress == Progress::Delivered {
        set("d", string("d"));
        set("dt", number(now));
        set("gh", bytes(&[5; 32]));
        set("gk", string("key-1"));
        set("gs", bytes(&[0x30, 6, 2, 1, 1, 2, 1, 1]));
        let attempt = json!({ "M": {
            "n": number(1), "t": number(now), "d": number(42), "s": number(200),
        } });
        set("da", json!({ "L": [attempt] }));
    } else {
        set("d", string("p"));
        set("dx", number(now));
        set("due_at", number(now + 60_000));
        set(
            "due_shard",
            number(u64::from(confirmation().as_bytes()[0] % 8)),
        );
    }
    if progress != Progress::Owed {
        set("dn", number(1));
    }
    if progress == Progress::Claimed {
        set("dc", number(now));
    }
    item
}

fn string(value: &str) -> Value {
    json!({ "S": value })
}

fn number(value: u64) -> Value {
    json!({ "N": value.to_string() })
}

fn bytes(value: &[u8]) -> Value {
    json!({ "B": BASE64_STANDARD.encode(value) })
}
