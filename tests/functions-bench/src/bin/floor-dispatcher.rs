//! The floor of `dispatcher`: claim, sign, post and settle, without the SDK.

use std::io::{self, Write as _};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_functions_bench::lean::{Client, Endpoint, post, serve};
use ring::digest::{SHA256, digest};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let endpoint = Endpoint::read()?;
    let mut table = Client::connect(&endpoint, "dynamodb")?;
    let mut keys = Client::connect(&endpoint, "kms")?;
    let key = json!({ "pk": { "S": "PROFILE" }, "sk": { "S": "PROFILE" } });
    let read = json!({ "TableName": "shop", "Key": key }).to_string();
    table.call("DynamoDB_20120810.GetItem", &read)?;
    let key = json!({ "KeyId": "current" }).to_string();
    keys.call("TrentService.GetPublicKey", &key)?;
    serve(|event| match deliver(&mut table, &mut keys, event) {
        Ok(()) => json!({ "batchItemFailures": [] }).to_string(),
        Err(error) => json!({ "errorMessage": error.to_string() }).to_string(),
    })
}

fn deliver(table: &mut Client, keys: &mut Client, event: &[u8]) -> io::Result<()> {
    let event: Value = serde_json::from_slice(event)?;
    let pointer = event["Records"][0]["body"].as_str().unwrap_or_default();
    let pointer: Value = serde_json::from_str(pointer)?;
    let id = pointer["confirmationId"].as_str().unwrap_or_default();
    let id = id.trim_start_matches("cfm_");
    let key = json!({ "pk": { "S": format!("CFM#{id}") }, "sk": { "S": "CFM" } });
    let claimed = table.call(UPDATE, &claim(&key).to_string())?;
    let claimed: Value = serde_json::from_slice(&claimed)?;
    let item = &claimed["Attributes"];
    let body = json!({
        "confirmationId": id,
        "phoneNumber": item["n"]["S"],
        "metadata": item["m"]["S"],
    })
    .to_string();
    let message = BASE64_STANDARD.encode(digest(&SHA256, body.as_bytes()));
    let sign = json!({
        "KeyId": "current",
        "Message": message,
        "MessageType": "DIGEST",
        "SigningAlgorithm": "ECDSA_SHA_256",
    });
    keys.call("TrentService.Sign", &sign.to_string())?;
    post(item["u"]["S"].as_str().unwrap_or_default(), &body)?;
    table.call(UPDATE, &settle(&key).to_string())?;
    writeln!(io::stdout(), "{}", json!({ "level": "INFO", "id": id }))
}

const UPDATE: &str = "DynamoDB_20120810.UpdateItem";

fn claim(key: &Value) -> Value {
    json!({
        "TableName": "shop",
        "Key": key,
        "ConditionExpression": "dn = :claims AND dx <= :nearly_now",
        "UpdateExpression": "SET dc = :now ADD dn :one",
        "ExpressionAttributeValues": {
            ":claims": { "N": "0" },
            ":nearly_now": { "N": "1767323046678" },
            ":now": { "N": "1767323045678" },
            ":one": { "N": "1" },
        },
        "ReturnValues": "ALL_NEW",
    })
}

fn settle(key: &Value) -> Value {
    let attempt = json!({ "M": {
        "n": { "N": "1" }, "t": { "N": "1767323045678" }, "d": { "N": "42" }, "s": { "N": "200" },
    } });
    json!({
        "TableName": "shop",
        "Key": key,
        "ConditionExpression": "dn = :number",
        "UpdateExpression": "SET d = :delivered, da = list_append(da, :attempt) REMOVE dc, dx",
        "ExpressionAttributeValues": {
            ":number": { "N": "1" },
            ":delivered": { "S": "d" },
            ":attempt": { "L": [attempt] },
        },
        "ReturnValues": "ALL_NEW",
    })
}
