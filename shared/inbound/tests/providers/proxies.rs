//! Providers that sign the address, behind proxies that change host, port and path.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_inbound::plivo::{Plivo, PlivoVersion};
use countersign_inbound::twilio::{Twilio, TwilioKey};
use countersign_inbound::{Call, InboundError, InboundProvider, PublicUrl, Reading, read};
use futures_util::FutureExt as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, HeaderValue, Method};
use sha1::Sha1;
use sha2::Sha256;

use crate::cases::{NOW, only, secret};

const TOKEN: &str = "first-secret";
/// Parameters sorted by name, with plain values.
const PAIRS: [(&str, &str); 6] = [
    ("Body", "CS-0"),
    ("From", "12025550100"),
    ("MessageSid", "m1"),
    ("MessageUUID", "m1"),
    ("Text", "CS-0"),
    ("To", "12025550199"),
];

/// Realistic public addresses.
pub(crate) const URLS: [&str; 4] = [
    "https://text.example.com",
    "https://text.example.com:8443",
    "https://example.com/base/path",
    "https://[2001:db8::1]:8443/x",
];

/// A provider that signs the address.
#[derive(Clone, Copy)]
pub(crate) struct Signer {
    pub(crate) label: &'static str,
    make: fn(&PublicUrl) -> Box<dyn InboundProvider>,
    sign: fn(&PublicUrl, Option<&str>) -> HeaderMap,
    /// True if it signs the query.
    pub(crate) signs_query: bool,
    /// True if it signs the decoded query rather than its spelling.
    pub(crate) decodes_query: bool,
}

pub(crate) const SIGNERS: [Signer; 3] = [
    Signer {
        label: "twilio",
        make: |url| Box::new(Twilio::new(url, TwilioKey::AuthToken(secret(TOKEN)))),
        sign: |url, query| {
            let mut signed = url.provider_url("twilio");
            if let Some(query) = query {
                signed.extend(["?", query]);
            }
            signed.extend(PAIRS.map(|(name, value)| format!("{name}{value}")));
            let mut mac = Hmac::<Sha1>::new_from_slice(TOKEN.as_bytes()).unwrap();
            mac.update(signed.as_bytes());
            headers(&[("x-twilio-signature", &mac.finalize().into_bytes())])
        },
        signs_query: true,
        decodes_query: false,
    },
    Signer {
        label: "plivo v2",
        make: |url| Box::new(Plivo::new(url, secret(TOKEN), PlivoVersion::V2)),
        sign: |url, _| {
            let signature = sha256(&format!("{}n0nce", url.provider_url("plivo")));
            let mut headers = headers(&[("x-plivo-signature-v2", &signature)]);
            let nonce = HeaderValue::from_static("n0nce");
            headers.insert("x-plivo-signature-v2-nonce", nonce);
            headers
        },
        signs_query: false,
        decodes_query: false,
    },
    Signer {
        label: "plivo v3",
        make: |url| Box::new(Plivo::new(url, secret(TOKEN), PlivoVersion::V3)),
        sign: |url, query| {
            // The queries of the tests, decoded and sorted by hand.
            let query = match query {
                None => "",
                Some("a=b") => "a=b.",
                _ => "a= &a=x y&z=1.",
            };
            let body = PAIRS.map(|(name, value)| format!("{name}{value}")).concat();
            let signature = sha256(&format!(
                "{}?{query}{body}.n0nce",
                url.provider_url("plivo")
            ));
            let mut headers = headers(&[("x-plivo-signature-v3", &signature)]);
            let nonce = HeaderValue::from_static("n0nce");
            headers.insert("x-plivo-signature-v3-nonce", nonce);
            headers
        },
        signs_query: true,
        decodes_query: true,
    },
];

fn sha256(signed: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(TOKEN.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn headers(signatures: &[(&'static str, &[u8])]) -> HeaderMap {
    let form = HeaderValue::from_static("application/x-www-form-urlencoded");
    let mut headers = HeaderMap::from_iter([(http::header::CONTENT_TYPE, form)]);
    for (name, signature) in signatures {
        let encoded = BASE64_STANDARD.encode(signature);
        headers.insert(*name, encoded.parse().unwrap());
    }
    headers
}

/// A call that a provider signed for a given address.
pub(crate) struct Incoming {
    pub(crate) label: &'static str,
    make: fn(&PublicUrl) -> Box<dyn InboundProvider>,
    headers: HeaderMap,
}

/// Signs a call to an address.
pub(crate) fn incoming(signer: Signer, url: &str, query: Option<&str>) -> Incoming {
    Incoming {
        label: signer.label,
        make: signer.make,
        headers: (signer.sign)(&url.parse().unwrap(), query),
    }
}

impl Incoming {
    /// Passes the call to a server configured with this public address.
    pub(crate) fn take_at(&self, url: &str, query: Option<&str>) -> Result<Reading, InboundError> {
        let body = PAIRS
            .map(|(name, value)| format!("{name}={value}"))
            .join("&");
        let call = Call {
            method: &Method::POST,
            query,
            headers: &self.headers,
            body: body.as_bytes(),
        };
        let provider = (self.make)(&url.parse().unwrap());
        read(&*provider, call, NOW).now_or_never().unwrap()
    }
}

/// A proxy forwards calls to another host, port and path, and reports that in headers. All of these
/// headers are ignored.
#[test]
fn headers_of_proxies_change_nothing() {
    for signer in SIGNERS {
        for url in URLS {
            let mut call = incoming(signer, url, Some("a=b"));
            for (name, value) in [
                ("host", "127.0.0.1:8787"),
                ("x-forwarded-host", "evil.example"),
                ("x-forwarded-port", "80"),
                ("x-forwarded-proto", "http"),
                ("x-forwarded-prefix", "/elsewhere"),
                ("x-original-url", "https://evil.example/inbound-sms/twilio"),
                ("forwarded", "host=evil.example;proto=http"),
            ] {
                call.headers.insert(name, HeaderValue::from_static(value));
            }
            assert_eq!(only(call.take_at(url, Some("a=b"))).text, "CS-0", "{url}");
        }
    }
}

#[test]
fn call_of_another_address_is_refused_whatever_its_headers_say() {
    for signer in SIGNERS {
        let mut call = incoming(signer, "https://evil.example", None);
        let host = HeaderValue::from_static("evil.example");
        call.headers.insert("host", host.clone());
        call.headers.insert("x-forwarded-host", host);
        for url in URLS {
            let refused = Err(InboundError::NotAuthentic);
            assert_eq!(call.take_at(url, None), refused, "{}", call.label);
        }
    }
}

#[test]
fn query_counts_where_it_is_signed() {
    for signer in SIGNERS {
        let call = incoming(signer, URLS[0], Some("a=b"));
        let without = call.take_at(URLS[0], None);
        assert_eq!(without.is_err(), signer.signs_query, "{}", call.label);
    }
}
