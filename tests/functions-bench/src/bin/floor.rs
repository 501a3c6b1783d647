//! The floor of `acquire`: one conditional write over blocking TLS, with a signature of our own.

use std::io::{self, Write as _};

use base16ct::lower;
use countersign_functions_bench::lean::{Client, Endpoint, serve};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Value, json};

fn main() -> io::Result<()> {
    let endpoint = Endpoint::read()?;
    let mut table = Client::connect(&endpoint, "dynamodb")?;
    let key = json!({ "pk": { "S": "PROFILE" }, "sk": { "S": "PROFILE" } });
    let read = json!({ "TableName": "shop", "Key": key }).to_string();
    table.call("DynamoDB_20120810.GetItem", &read)?;
    let random = SystemRandom::new();
    serve(|event| {
        acquire(&mut table, &random, event)
            .unwrap_or_else(|error| json!({ "statusCode": 503, "body": error.to_string() }))
            .to_string()
    })
}

/// Stores a confirmation with a random id, and answers it.
fn acquire(table: &mut Client, random: &SystemRandom, event: &[u8]) -> io::Result<Value> {
    let event: Value = serde_json::from_slice(event)?;
    let body: Value = serde_json::from_str(event["body"].as_str().unwrap_or("{}"))?;
    let mut id = [0; 16];
    random
        .fill(&mut id)
        .map_err(|_| io::Error::other("no randomness"))?;
    let id = lower::encode_string(&id);
    let put = json!({
        "TableName": "shop",
        "Item": {
            "pk": { "S": format!("CFM#{id}") },
            "sk": { "S": "CFM" },
            "v": { "N": "2" },
            "r": { "N": "1" },
            "ttl": { "N": "1768028646" },
            "a": { "S": "shop" },
            "c": { "N": "1767323045678" },
            "x": { "N": "1767323345678" },
            "p": { "N": "1768028645678" },
            "f": { "S": "a" },
            "m": { "S": body["metadata"].to_string() },
            "to": { "S": "+12025550199" },
            "u": { "S": "https://shop.example/hook" },
            "s": { "S": "o" },
        },
        "ConditionExpression": "attribute_not_exists(pk)",
    });
    table.call("DynamoDB_20120810.PutItem", &put.to_string())?;
    writeln!(io::stdout(), "{}", json!({ "level": "INFO", "id": id }))?;
    let answer = json!({ "confirmationId": format!("cfm_{id}"), "sendTo": "+12025550199" });
    Ok(json!({
        "statusCode": 200,
        "headers": { "content-type": "application/json" },
        "body": answer.to_string(),
        "isBase64Encoded": false,
    }))
}
