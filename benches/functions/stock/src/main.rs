//! `acquire` with the AWS SDK for Rust and `lambda_http` in their default form: it connects during startup
//! and uses one client for all calls.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue as Value;
use aws_sdk_dynamodb::types::ReturnValuesOnConditionCheckFailure::AllOld;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use lambda_http::{Body, Error, Request, Response, run, service_fn, tracing};
use sha2::{Digest as _, Sha256};

type Item = HashMap<String, Value>;

const FRESH: Duration = Duration::from_secs(60);
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

struct Server {
    client: Client,
    table: String,
    apps: Mutex<HashMap<String, (Item, Instant)>>,
}

impl Server {
    async fn get(&self, pk: &str, sk: &str) -> Result<Option<Item>, Error> {
        let request = self.client.get_item().table_name(&self.table);
        let request = request.key("pk", string(pk)).key("sk", string(sk));
        Ok(request.consistent_read(true).send().await?.item)
    }

    async fn app_of(&self, key: &str) -> Result<Option<Item>, Error> {
        let hash = hex(&Sha256::digest(key));
        if let Some((app, read_at)) = self.apps.lock().unwrap().get(&hash)
            && read_at.elapsed() < FRESH
        {
            return Ok(Some(app.clone()));
        }
        let Some(pointer) = self.get(&format!("KEY#{hash}"), "KEY").await? else {
            return Ok(None);
        };
        let app = format!("APP#{}", text(&pointer, "app"));
        let Some(stored) = self.get(&app, "APP").await? else {
            return Ok(None);
        };
        let keys = stored.get("keys").and_then(|keys| keys.as_l().ok());
        let mut keys = keys.into_iter().flatten().filter_map(|key| key.as_m().ok());
        let wanted = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(key));
        let is_valid =
            |record: &Item| text(record, "hash") == wanted && !record.contains_key("revoked_at");
        let app = stored.get("app").and_then(|app| app.as_m().ok());
        let Some(app) = app.filter(|_| keys.any(is_valid)) else {
            return Ok(None);
        };
        let known = (app.clone(), Instant::now());
        self.apps.lock().unwrap().insert(hash, known);
        Ok(Some(app.clone()))
    }

    async fn handle(&self, request: Request) -> Result<Response<Body>, Error> {
        let key = request.headers().get("x-api-key");
        let key = key.and_then(|key| key.to_str().ok()).unwrap_or_default();
        let Some(app) = self.app_of(key).await? else {
            return Ok(Response::builder().status(401).body("{}".into())?);
        };
        let body: serde_json::Value = match request.body().as_ref() {
            [] => serde_json::json!({}),
            body => serde_json::from_slice(body)?,
        };
        let mut bits = [0; 10];
        getrandom::fill(&mut bits)?;
        let id = Sha256::new().chain_update(b"countersign/confirmation-id/1\0");
        let id = hex(&id.chain_update(bits).finalize()[..16]);
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
        let numbers = app.get("senders").and_then(|numbers| numbers.as_l().ok());
        let first = numbers.and_then(|numbers| numbers.first()?.as_m().ok());
        let send_to = first.map(|first| text(first, "number")).unwrap_or_default();
        let code = format!("{}-{}", text(&app, "prefix"), spell(&bits));
        let message = text(&app, "template").replace("{code}", &code);
        let callback = body["callbackUrl"].as_str();
        let put = self.client.put_item().table_name(&self.table);
        put.item("pk", string(&format!("CFM#{id}")))
            .item("sk", string("CFM"))
            .item("v", number(2))
            .item("r", number(1))
            .item("a", string(text(&app, "id")))
            .item("f", string("a"))
            .item("s", string("o"))
            .item("to", string(send_to))
            .item(
                "u",
                string(callback.unwrap_or(text(&app, "default_callback"))),
            )
            .item("m", string(&body["metadata"].to_string()))
            .item("c", number(now))
            .item("x", number(now + 300_000))
            .item("p", number(now + 605_100_000))
            .item("ttl", number(now / 1000 + 605_101))
            .condition_expression("attribute_not_exists(pk)")
            .return_values_on_condition_check_failure(AllOld)
            .send()
            .await?;
        tracing::info!(id, status = 200, "answered");
        let answer = serde_json::json!({
            "confirmationId": format!("cfm_{id}"),
            "confirmationMessage": message,
            "sendTo": send_to,
            "expiresAt": now + 300_000,
        });
        let response = Response::builder().header("content-type", "application/json");
        Ok(response.body(answer.to_string().into())?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let settings = aws_config::load_defaults(aws_config::BehaviorVersion::latest()).await;
    let server = Server {
        client: Client::new(&settings),
        table: std::env::var("COUNTERSIGN_TABLE")?,
        apps: Mutex::default(),
    };
    // Connects.
    server.get("PROFILE", "PROFILE").await?;
    run(service_fn(|request| server.handle(request))).await
}

fn string(value: &str) -> Value {
    Value::S(value.to_owned())
}

fn number(value: u128) -> Value {
    Value::N(value.to_string())
}

fn text<'a>(item: &'a Item, name: &str) -> &'a str {
    let value = item.get(name).and_then(|value| value.as_s().ok());
    value.map_or("", String::as_str)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn spell(bits: &[u8; 10]) -> String {
    let mut bytes = [0; 16];
    bytes[6..].copy_from_slice(bits);
    let value = u128::from_be_bytes(bytes);
    let symbol = |shift: u32| char::from(ALPHABET[(value >> (75 - 5 * shift) & 31) as usize]);
    (0..16).map(symbol).collect()
}
