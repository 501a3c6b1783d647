//! Providers that send form parameters. Their signatures are computed from the output of the `url`
//! crate, which is a different parser from the providers' own.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::Channel;
use countersign_inbound::HashAlgorithm;
use countersign_inbound::plivo::{Plivo, PlivoVersion};
use countersign_inbound::twilio::{Twilio, TwilioKey};
use countersign_inbound::vonage_sms::VonageSms;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::Method;
use serde_json::Value;
use sha1::Sha1;
use sha2::Sha256;

use super::{FORM, NONCE, NOW, SECRET, Setting, Signs, secret, url};
use crate::call::Incoming;

type Pairs = Vec<(String, String)>;

/// Returns the parameters; `None` if they are not text or there are too many.
fn pairs(text: &[u8]) -> Option<Pairs> {
    let pairs: Pairs = url::form_urlencoded::parse(text).into_owned().collect();
    let replaced = |text: &String| text.contains('\u{fffd}');
    let is_text = !pairs.iter().any(|(n, v)| replaced(n) || replaced(v));
    (is_text && pairs.len() <= 256).then_some(pairs)
}

fn sorted(mut pairs: Pairs) -> Pairs {
    pairs.sort();
    pairs
}

fn sha1(text: &str) -> String {
    let mut mac = Hmac::<Sha1>::new_from_slice(SECRET.as_bytes()).expect("a key");
    mac.update(text.as_bytes());
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}

fn sha256(text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).expect("a key");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

/// Twilio, with the account's auth token.
pub(crate) fn twilio(input: &[u8]) {
    let setting = Setting {
        provider: Twilio::new(&url(), TwilioKey::AuthToken(secret())),
        signs: Signs::Meaning,
        prove: |mut call| {
            let mut form = sorted(pairs(&call.body)?);
            form.dedup();
            let mut signed = url().provider_url("twilio");
            if let Some(query) = &call.query {
                signed.extend(["?", query]);
            }
            for (name, value) in &form {
                signed.extend([name.as_str(), value]);
            }
            call.method = Method::POST;
            call.set("content-type", FORM);
            call.set("x-twilio-signature", &sha1(&signed));
            Some(call)
        },
        channels: &[Channel::Sms, Channel::WhatsApp],
    };
    setting.check(input);
}

/// Plivo, with either version of its signature.
pub(crate) fn plivo(input: &[u8]) {
    let v2 = Setting {
        provider: Plivo::new(&url(), secret(), PlivoVersion::V2),
        signs: Signs::Nothing,
        prove: |mut call| {
            let signature = sha256(&format!("{}{NONCE}", url().provider_url("plivo")));
            call.method = Method::POST;
            call.set("content-type", FORM);
            call.set("x-plivo-signature-v2", &BASE64_STANDARD.encode(signature));
            call.set("x-plivo-signature-v2-nonce", NONCE);
            Some(call)
        },
        channels: &[Channel::Sms],
    };
    v2.check(input);
    let v3 = Setting {
        provider: Plivo::new(&url(), secret(), PlivoVersion::V3),
        signs: Signs::Meaning,
        prove: |mut call| {
            let query = sorted(pairs(call.query.as_deref().unwrap_or_default().as_bytes())?);
            let form = sorted(pairs(&call.body)?);
            let query: Vec<_> = query.iter().map(|(n, v)| format!("{n}={v}")).collect();
            let mut signed = url().provider_url("plivo");
            if !query.is_empty() || !form.is_empty() {
                signed.push('?');
            }
            signed.push_str(&query.join("&"));
            if !query.is_empty() && !form.is_empty() {
                signed.push('.');
            }
            for (name, value) in &form {
                signed.extend([name.as_str(), value]);
            }
            let signature = sha256(&format!("{signed}.{NONCE}"));
            call.method = Method::POST;
            call.set("content-type", FORM);
            call.set("x-plivo-signature-v3", &BASE64_STANDARD.encode(signature));
            call.set("x-plivo-signature-v3-nonce", NONCE);
            Some(call)
        },
        channels: &[Channel::Sms],
    };
    v3.check(input);
}

/// Vonage's SMS API, with GET, a form or JSON.
pub(crate) fn vonage_sms(input: &[u8]) {
    let setting = Setting {
        provider: VonageSms::new(secret(), HashAlgorithm::Sha256),
        signs: Signs::Meaning,
        prove: vonage,
        channels: &[Channel::Sms],
    };
    setting.check(input);
}

fn vonage(mut call: Incoming) -> Option<Incoming> {
    let by_get = call.method == Method::GET;
    let in_form = call.header("content-type") == Some(FORM);
    let pairs = if by_get {
        pairs(call.query.as_deref()?.as_bytes())?
    } else if in_form {
        pairs(&call.body)?
    } else {
        let json: BTreeMap<String, Value> = serde_json::from_slice(&call.body).ok()?;
        let text = |value| match value {
            Value::String(text) => Some(text),
            Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
            _ => None,
        };
        let pairs = json.into_iter().map(|(n, v)| Some((n, text(v)?)));
        pairs.collect::<Option<_>>()?
    };
    let mut parameters: BTreeMap<_, _> = pairs.into_iter().collect();
    if parameters.keys().any(|name| name.contains(['&', '='])) {
        return None;
    }
    parameters.insert("timestamp".to_owned(), NOW.as_secs().to_string());
    parameters.remove("sig");
    let mut signed = String::new();
    for (name, value) in &parameters {
        let value = value.replace(['&', '='], "_");
        signed.extend(["&", name, "=", &value]);
    }
    let signature = base16ct::lower::encode_string(&sha256(&signed));
    parameters.insert("sig".to_owned(), signature);
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(&parameters);
    let form = form.finish();
    if parameters.len() > 256 {
        return None;
    }
    if by_get {
        call.query = Some(form);
    } else if in_form {
        call.body = form.into_bytes();
    } else {
        call.body = serde_json::to_vec(&parameters).ok()?;
        call.set("content-type", "application/json");
    }
    (call.body.len() <= countersign_inbound::MAX_BODY).then_some(call)
}
