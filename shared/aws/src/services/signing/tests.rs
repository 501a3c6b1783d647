#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_credential_types::Credentials;
use aws_smithy_async::time::StaticTimeSource;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponentsBuilder;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::Layer;
use aws_types::region::Region;
use proptest::prelude::*;

use super::*;

/// A call to sign.
#[derive(Clone, Debug)]
struct Sample {
    method: &'static str,
    uri: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    region: String,
    service: String,
    token: Option<String>,
    seconds: u64,
}

impl Sample {
    fn new() -> Self {
        let headers = [
            ("content-type", "application/x-amz-json-1.0"),
            ("x-amz-target", "DynamoDB_20120810.PutItem"),
            ("user-agent", "aws-sdk-rust/1"),
            ("amz-sdk-request", "attempt=1; max=4"),
        ];
        Self {
            method: "POST",
            uri: "https://dynamodb.eu-central-1.amazonaws.com/".to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            body: b"{}".to_vec(),
            region: "eu-central-1".to_owned(),
            service: "dynamodb".to_owned(),
            token: Some("token".to_owned()),
            seconds: 1_798_761_599,
        }
    }

    /// Returns the headers after signing, with or without those of an endpoint.
    fn signed(&self, signer: &dyn Sign, endpoint: &Document) -> Vec<(String, String)> {
        let mut request = HttpRequest::new(SdkBody::from(self.body.clone()));
        request.set_method(self.method).unwrap();
        request.set_uri(self.uri.as_str()).unwrap();
        for (name, value) in &self.headers {
            request.headers_mut().append(name.clone(), value.clone());
        }
        let credentials = Credentials::new("AKID", "secret", self.token.clone(), None, "test");
        let mut layer = Layer::new("test");
        layer.store_put(SigV4OperationSigningConfig::default());
        layer.store_put(SigningRegion::from(Region::new(self.region.clone())));
        layer.store_put(SigningName::from(self.service.clone()));
        let config = ConfigBag::of_layers(vec![layer]);
        let components = RuntimeComponentsBuilder::for_tests()
            .with_time_source(Some(StaticTimeSource::new(self.time())))
            .build()
            .unwrap();
        let endpoint = AuthSchemeEndpointConfig::from(endpoint);
        signer
            .sign_http_request(
                &mut request,
                &Identity::from(credentials),
                endpoint,
                &components,
                &config,
            )
            .unwrap();
        let headers = request.headers().iter();
        let mut headers: Vec<_> = headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        headers.sort();
        headers
    }

    fn time(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.seconds)
    }

    /// Checks that a signer signs as the SDK's does.
    fn check(&self, signer: &KeptKeySigner, endpoint: &Document) {
        let ours = self.signed(signer, endpoint);
        assert!(ours.iter().any(|(name, _)| name == AUTHORIZATION));
        assert_eq!(ours, self.signed(&SigV4Signer::new(), endpoint), "{self:?}");
    }
}

fn none() -> Document {
    Document::Object(std::collections::HashMap::new())
}

/// Returns whether the kept key was used.
fn has_key(signer: &KeptKeySigner) -> bool {
    !signer.key.is_empty()
}

#[test]
fn usual_calls_are_signed_with_the_kept_key() {
    let signer = KeptKeySigner::default();
    Sample::new().check(&signer, &none());
    assert!(has_key(&signer));
}

#[test]
fn kept_key_is_replaced_when_what_it_is_for_changes() {
    let signer = KeptKeySigner::default();
    let usual = Sample::new();
    let mut next_day = usual.clone();
    next_day.seconds += 1;
    let mut other_region = usual.clone();
    other_region.region = "us-east-1".to_owned();
    let mut other_service = usual.clone();
    other_service.service = "kms".to_owned();
    for sample in [
        &usual,
        &next_day,
        &usual,
        &other_region,
        &usual,
        &other_service,
    ] {
        sample.check(&signer, &none());
        sample.check(&signer, &none());
    }
}

#[test]
fn scheme_of_the_endpoint_decides() {
    let signer = KeptKeySigner::default();
    let endpoint = [("signingName", "sqs"), ("signingRegion", "us-east-1")]
        .map(|(name, value)| (name.to_owned(), Document::from(value)));
    Sample::new().check(&signer, &Document::Object(endpoint.into()));
    assert!(has_key(&signer));
}

#[test]
fn ports_that_are_no_default_are_signed() {
    for uri in [
        "https://host.example",
        "https://host.example:443/",
        "http://host.example:80/",
        "http://127.0.0.1:8000/",
        "https://host.example:80",
    ] {
        let signer = KeptKeySigner::default();
        let uri = uri.to_owned();
        Sample {
            uri,
            ..Sample::new()
        }
        .check(&signer, &none());
        assert!(has_key(&signer));
    }
}

#[test]
fn other_calls_are_left_to_the_sdk() {
    let with = |name: &str, value: &str| {
        let mut sample = Sample::new();
        sample.headers.push((name.to_owned(), value.to_owned()));
        sample
    };
    let at = |uri: &str| {
        let uri = uri.to_owned();
        Sample {
            uri,
            ..Sample::new()
        }
    };
    for sample in [
        Sample {
            method: "GET",
            ..Sample::new()
        },
        at("https://host.example/path"),
        at("https://host.example/?query=1"),
        with("x-two", "a  b"),
        with("x-space", " a"),
        with("content-type", "again"),
    ] {
        let signer = KeptKeySigner::default();
        sample.check(&signer, &none());
        assert!(!has_key(&signer), "{sample:?}");
    }
    let endpoint = [("disableDoubleEncoding".to_owned(), Document::Bool(true))];
    let signer = KeptKeySigner::default();
    Sample::new().check(&signer, &Document::Object(endpoint.into()));
    assert!(!has_key(&signer));
}

#[test]
fn nothing_secret_is_shown() {
    let signer = KeptKeySigner::default();
    Sample::new().check(&signer, &none());
    assert!(!format!("{signer:?}").contains("secret"));
}

proptest! {
    #[test]
    fn signatures_are_those_of_the_sdk(
        headers in proptest::collection::btree_map("x-[a-z]{1,8}", "[!-~]([ !-~]{0,20}[!-~])?", 0..6),
        body in proptest::collection::vec(any::<u8>(), 0..64),
        host in "[a-z]{1,8}(\\.[a-z]{2,5}){0,2}(:[1-9][0-9]{1,3})?",
        scheme in "https?",
        service in "(dynamodb|kms|sqs)",
        token in proptest::option::of("[A-Za-z0-9/+=]{1,40}"),
        seconds in 0_u64..4_102_444_800,
    ) {
        let mut sample = Sample::new();
        sample.headers.extend(headers);
        let uri = format!("{scheme}://{host}/");
        let sample = Sample { uri, body, service, token, seconds, ..sample };
        sample.check(&KeptKeySigner::default(), &none());
    }
}
