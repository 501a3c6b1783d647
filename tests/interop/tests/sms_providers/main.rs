//! Calls signed by the providers' own libraries are authentic here, and calls signed by us are
//! authentic there. Both sides refuse a changed call.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod generated;
mod kinds;
mod node;
mod telnyx;

use std::io::Write as _;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use countersign_inbound::telnyx::{Telnyx, TelnyxKey};
use countersign_inbound::{Call, InboundError, InboundProvider, Reading, read};
use countersign_interop::chance::Chance;
use countersign_interop::notices::skip;
use countersign_interop::seeds;
use futures_util::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde_json::{Map, Value, json};

use crate::generated::{content, form, now, parameters, public_url, secret, text};
use crate::kinds::{KINDS, Kind};

/// Number of calls of each kind, for each of the two seeds.
const CALLS: u64 = 1000;
/// The public half of the key whose private half is 32 bytes of 1, as in `check.py`.
const TELNYX_KEY: &str = "iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=";

/// A job for the libraries, and a check of its result.
type Job = (Value, Box<dyn Fn(&Value)>);

fn take(
    provider: &dyn InboundProvider,
    query: Option<&str>,
    headers: &Map<String, Value>,
    body: &[u8],
) -> Result<Reading, InboundError> {
    let headers = headers.iter().map(|(name, value)| {
        let value = HeaderValue::from_str(value.as_str().unwrap()).unwrap();
        (HeaderName::from_bytes(name.as_bytes()).unwrap(), value)
    });
    let call = Call {
        method: &Method::POST,
        query,
        headers: &headers.collect::<HeaderMap>(),
        body,
    };
    read(provider, call, now()).now_or_never().unwrap()
}

fn is_authentic(taken: &Result<Reading, InboundError>) -> bool {
    matches!(taken, Ok(_) | Err(InboundError::Malformed(_)))
}

/// Our signature, verified by the library: valid as it is, and invalid under another secret.
fn ours(kind: &'static Kind, chance: &mut Chance, jobs: &mut Vec<Job>) {
    let url = public_url(chance);
    let key = secret(chance);
    let provider = (kind.make)(&url, key.parse().unwrap());
    let text = text(chance);
    let signed = provider.sign(&text, now(), "n0nce").unwrap();
    let headers: Map<_, _> = signed
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.clone().into()))
        .collect();
    assert!(take(&*provider, None, &headers, &signed.body).is_ok());
    let body = String::from_utf8(signed.body).unwrap();
    let token = headers.get("authorization").and_then(Value::as_str);
    let claims = token
        .and_then(|token| token.split('.').nth(1))
        .map(|claims| {
            let decoded = BASE64_URL_SAFE_NO_PAD.decode(claims);
            serde_json::from_slice::<Value>(&decoded.unwrap()).unwrap()
        });
    let job = |secret: &str| {
        json!({
            "action": "verify", "provider": kind.name, "algorithm": kind.algorithm,
            "secret": secret, "url": url.provider_url(provider.name()), "headers": headers, "body": body,
            "payload_hash": claims.as_ref().map(|claims| claims["payload_hash"].clone()),
        })
    };
    let label = format!("{} {}: {:?}", kind.name, kind.algorithm, text.text);
    let wrong = format!("{label} under another secret");
    let right = job(&key);
    let other = job(&secret(chance));
    jobs.push((
        right,
        Box::new(move |result| assert_eq!(*result, true, "{label}")),
    ));
    jobs.push((
        other,
        Box::new(move |result| assert_eq!(*result, false, "{wrong}")),
    ));
}

/// The library's signature over a form, verified by us: valid as it is, and invalid after any
/// change.
fn their_form(kind: &'static Kind, repeated: bool, chance: &mut Chance, jobs: &mut Vec<Job>) {
    let url = public_url(chance);
    let key = secret(chance);
    let provider = (kind.make)(&url, key.parse().unwrap());
    let pairs = parameters(chance, repeated);
    let query = chance.pick(&[None, Some("a=b"), Some("z=1&a=2&a=1"), Some("x=%20y&b=")]);
    let address = match query {
        Some(query) => format!("{}?{query}", url.provider_url(provider.name())),
        None => url.provider_url(provider.name()),
    };
    let job = json!({
        "action": "sign", "provider": kind.name, "algorithm": kind.algorithm, "secret": key,
        "url": address, "params": pairs, "nonce": "n0nce",
    });
    let check = move |result: &Value| {
        let mut headers = result.as_object().unwrap().clone();
        let media = "application/x-www-form-urlencoded; charset=UTF-8";
        headers.insert("content-type".to_owned(), media.into());
        let read = |query, pairs: &[(String, String)]| {
            is_authentic(&take(&*provider, query, &headers, form(pairs).as_bytes()))
        };
        assert!(read(query, &pairs), "{} {address}: {pairs:?}", kind.name);
        assert!(!read(Some("other=1"), &pairs));
        for at in 0..pairs.len() {
            let mut changed = pairs.clone();
            changed[at].1.push('x');
            assert!(!read(query, &changed), "{changed:?}");
            let mut renamed = pairs.clone();
            renamed[at].0.push('x');
            assert!(!read(query, &renamed), "{renamed:?}");
        }
        let added = [&pairs[..], &[("new".to_owned(), "1".to_owned())]].concat();
        assert!(!read(query, &added));
    };
    jobs.push((job, Box::new(check)));
}

fn their_vonage(kind: &'static Kind, chance: &mut Chance, jobs: &mut Vec<Job>) {
    let key = secret(chance);
    let provider = (kind.make)(&public_url(chance), key.parse().unwrap());
    let mut pairs = parameters(chance, false);
    pairs.push(("timestamp".to_owned(), now().as_secs().to_string()));
    let job = json!({
        "action": "sign", "provider": kind.name, "algorithm": kind.algorithm, "secret": key,
        "params": pairs,
    });
    let check = move |result: &Value| {
        let signature = result["sig"].as_str().unwrap().to_owned();
        let read = |pairs: &[(String, String)], json: bool| {
            let mut all = pairs.to_vec();
            all.push(("sig".to_owned(), signature.clone()));
            let (media, body) = if json {
                let object: Map<_, _> = all.into_iter().map(|(n, v)| (n, v.into())).collect();
                ("application/json", Value::from(object).to_string())
            } else {
                ("application/x-www-form-urlencoded", form(&all))
            };
            let headers = Map::from_iter([("content-type".to_owned(), media.into())]);
            is_authentic(&take(&*provider, None, &headers, body.as_bytes()))
        };
        assert!(read(&pairs, true) && read(&pairs, false), "{pairs:?}");
        for at in 0..pairs.len() {
            let mut changed = pairs.clone();
            changed[at].1.push('x');
            assert!(!read(&changed, true) && !read(&changed, false));
        }
    };
    jobs.push((job, Box::new(check)));
}

/// The library's signature over a body, verified by us.
fn their_body(
    name: &'static str,
    provider: Box<dyn InboundProvider>,
    key: &str,
    chance: &mut Chance,
    jobs: &mut Vec<Job>,
) {
    let body = json!({"type": "other", "data": {"event_type": "x"}, "text": content(chance)});
    let body = body.to_string();
    let job = json!({
        "action": "sign", "provider": name, "secret": key, "body": body, "nonce": "n0nce",
        "timestamp": now().as_secs().to_string(),
    });
    let at = chance.below(body.len());
    let bit = chance.below(8);
    let check = move |result: &Value| {
        let headers = result.as_object().unwrap();
        assert!(
            take(&*provider, None, headers, body.as_bytes()).is_ok(),
            "{body}"
        );
        let mut changed = body.clone().into_bytes();
        changed[at] ^= 1 << bit;
        assert!(!is_authentic(&take(&*provider, None, headers, &changed)));
        for name in headers.keys() {
            let mut without = headers.clone();
            without.remove(name);
            assert!(!is_authentic(&take(
                &*provider,
                None,
                &without,
                body.as_bytes()
            )));
        }
    };
    jobs.push((job, Box::new(check)));
}

fn jobs(seed: u64) -> Vec<Job> {
    let mut jobs = Vec::new();
    for number in 0..CALLS {
        let mut chance = Chance::new(seed, number);
        let chance = &mut chance;
        for kind in &KINDS {
            ours(kind, chance, &mut jobs);
            match kind.name {
                "vonage-sms" => their_vonage(kind, chance, &mut jobs),
                // Neither library can sign.
                "vonage-messages" | "plivo-v2" => {}
                _ if kind.form => their_form(kind, true, chance, &mut jobs),
                name => {
                    let key = secret(chance);
                    let provider = (kind.make)(&public_url(chance), key.parse().unwrap());
                    their_body(name, provider, &key, chance, &mut jobs);
                }
            }
        }
        telnyx::ours(chance, &mut jobs);
        let telnyx = Telnyx::new(TELNYX_KEY.parse::<TelnyxKey>().unwrap());
        their_body("telnyx", Box::new(telnyx), "", chance, &mut jobs);
    }
    jobs
}

/// Runs the libraries once for these jobs.
fn run(program: &str, arguments: &[&str], jobs: &[Job]) -> Vec<Value> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let jobs: Vec<_> = jobs.iter().map(|(job, _)| job).collect();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(&serde_json::to_vec(&jobs).unwrap())
        .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the libraries failed; see above");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn providers_libraries_agree_with_us() {
    const TEST: &str = "texts signed by the providers' own libraries";
    let Ok(python) = std::env::var("COUNTERSIGN_SMS_PROVIDERS") else {
        skip(TEST, "COUNTERSIGN_SMS_PROVIDERS is not set");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/providers/check.py");
    // The seeds are run one after the other, because both sides refuse a signature that is older
    // than five minutes.
    for seed in [seeds::FIXED, seeds::fresh(TEST)] {
        let all = jobs(seed);
        let results = run(&python, &[script], &all);
        assert_eq!(results.len(), all.len());
        for ((_, check), result) in all.iter().zip(&results) {
            check(result);
        }
    }
}
