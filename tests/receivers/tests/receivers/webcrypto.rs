//! Tests the conversion of signatures from DER for `WebCrypto` in Node.js.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use p256::ecdsa::Signature;
use p256::ecdsa::signature::Signer as _;
use serde_json::json;

use crate::fake::Key;
use crate::language::{has_node, sample, skipped};
use crate::webhook::Webhook;

/// Reads lines of `{jwk, body, signature, valid}` and prints how many had the expected result.
const SCRIPT: &str = r"
import { readFileSync } from 'node:fs'
const { verifyWithWebCrypto } = await import(process.argv[1])
let right = 0
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const { jwk, body, signature, valid } = JSON.parse(line)
  const found = await verifyWithWebCrypto(jwk, new TextEncoder().encode(body), signature)
  if (found === valid) right += 1
  else console.error(`${valid} expected: ${signature}`)
}
console.log(right)
";

#[test]
fn converted_signatures_verify_with_webcrypto() {
    if let Err(missing) = has_node() {
        skipped("conversion for WebCrypto", &missing);
        return;
    }
    // A fixed key, because a random one may never produce an integer with leading zeros.
    let key = Key::fixed("first");
    let mut lines = String::new();
    let mut short = 0;
    for number in 0..2000 {
        let body = format!("body {number}");
        let signature: Signature = key.secret.sign(body.as_bytes());
        short += u32::from(signature.to_der().as_bytes().len() < 70);
        let webhook = Webhook::signed(body.as_str(), &key);
        let signature = &webhook.headers.last().unwrap().1;
        // Every tenth signature is over a different body.
        let valid = number % 10 != 0;
        let body = if valid { body } else { format!("{body}!") };
        let line = json!({"jwk": key.jwk(), "body": body, "signature": signature, "valid": valid});
        writeln!(lines, "{line}").unwrap();
    }
    assert!(
        short > 0,
        "no number with leading zeros among the signatures"
    );
    for signature in [
        "",
        "AAAA",
        "MAA=",
        "MAYCAQACAQA=",
        "MAYCAQECAQE=",
        "not base64",
    ] {
        let line = json!({"jwk": key.jwk(), "body": "", "signature": signature, "valid": false});
        writeln!(lines, "{line}").unwrap();
    }

    let mut node = Command::new("node")
        .args(["--input-type=module", "-e", SCRIPT])
        .arg(sample("webcrypto.mjs").canonicalize().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    node.stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let output = node.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2006\n");
}
