#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::time::Duration;

use countersign_domain::use_cases::Times;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::settings::{Common, Dispatcher, Lambda, OriginCheck, WellKnown};
use super::*;

const TABLE: &str = "COUNTERSIGN_TABLE";
const VALIDITY: &str = "COUNTERSIGN_VALIDITY";
const RETENTION: &str = "COUNTERSIGN_RETENTION";
const FIRST_ATTEMPTS: &str = "COUNTERSIGN_FIRST_ATTEMPTS_QUEUE_URL";
const RETRIES: &str = "COUNTERSIGN_RETRIES_QUEUE_URL";
const SIGNING_KEY: &str = "COUNTERSIGN_SIGNING_KEY_ARN";
const PUBLISHED_KEYS: &str = "COUNTERSIGN_PUBLISHED_KEY_ARNS";
const ORIGIN_SECRET: &str = "COUNTERSIGN_ORIGIN_SECRET";
const CARRIER_LOOKUP: &str = "COUNTERSIGN_CARRIER_LOOKUP";

fn read<T: DeserializeOwned>(variables: &[(&str, &str)]) -> Result<T, ConfigError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    let variable = |name: &str| variables.get(name).map(|text| (*text).to_owned());
    super::read(OURS, &variable)
}

#[test]
fn one_error_names_every_faulty_variable_and_no_value() {
    let variables = [
        (TABLE, "x"),
        (VALIDITY, "soon"),
        (SIGNING_KEY, "arn:aws:kms:eu-west-1:123456789012:alias/mine"),
    ];
    let dispatcher = ConfigError::both(read::<Common>(&variables), read::<Dispatcher>(&variables));
    let keys = read::<WellKnown>(&[(PUBLISHED_KEYS, "hunter2")]);
    let errors = [
        dispatcher.unwrap_err().to_string(),
        keys.unwrap_err().to_string(),
    ];
    for name in [TABLE, VALIDITY, FIRST_ATTEMPTS, RETRIES, SIGNING_KEY] {
        assert!(errors[0].contains(name), "{name} in: {}", errors[0]);
    }
    for name in [PUBLISHED_KEYS, SIGNING_KEY] {
        assert!(errors[1].contains(name), "{name} in: {}", errors[1]);
    }
    assert!(errors[0].contains(&format!("{FIRST_ATTEMPTS} is missing")));
    assert!(errors[0].contains(&format!("{TABLE} is not the name of a table")));
    for value in ["soon", "alias/mine", "hunter2"] {
        assert!(!errors.concat().contains(value), "{value} in: {errors:?}");
    }
}

#[test]
fn error_names_exactly_the_faulty_variables() {
    let missing = [
        "SIGNING_KEY_ARN",
        "WEBHOOK_SECRET",
        "SOCKET_ENDPOINT",
        "FIRST_ATTEMPTS_QUEUE_URL",
        "RETRIES_QUEUE_URL",
    ];
    let wrong = [
        (TABLE, "good"),
        (CARRIER_LOOKUP, "hunter2"),
        ("COUNTERSIGN_LOCAL_KEY", ""),
        ("COUNTERSIGN_CARRIER_LOOKUPS_PER_DAY", "many"),
    ];
    let error = read::<Dispatcher>(&wrong).unwrap_err().to_string();
    assert_eq!(
        error.matches("COUNTERSIGN_").count(),
        missing.len() + 2,
        "{error}"
    );
    for name in missing {
        assert!(
            error.contains(&format!("COUNTERSIGN_{name} is missing")),
            "{error}"
        );
    }
    assert!(
        error.contains("COUNTERSIGN_CARRIER_LOOKUPS_PER_DAY is not a whole number"),
        "{error}"
    );
    let one = read::<OriginCheck>(&[]).unwrap_err().to_string();
    assert_eq!(
        one,
        "invalid environment: COUNTERSIGN_ORIGIN_SECRET is missing"
    );
}

#[test]
fn field_that_takes_no_text_does_not_show_it() {
    #[derive(Debug, Deserialize)]
    struct Numbers {
        #[expect(dead_code, reason = "it is never read")]
        most: u32,
    }
    let error = read::<Numbers>(&[("COUNTERSIGN_MOST", "hunter2")])
        .unwrap_err()
        .to_string();
    assert_eq!(error, "invalid environment: COUNTERSIGN_MOST is not u32");
}

#[test]
fn variables_of_lambda_have_no_prefix() {
    let variable = |name: &str| match name {
        "SSL_CERT_FILE" => None,
        "AWS_ENDPOINT_URL" => Some("http://127.0.0.1:4566".to_owned()),
        _ => name.strip_prefix("AWS_").map(str::to_lowercase),
    };
    let lambda = super::read::<Lambda>("", &variable).unwrap();
    assert_eq!(lambda.aws_region.as_str(), "region");
    assert_eq!(lambda.aws_secret_access_key.as_str(), "secret_access_key");
    assert_eq!(
        lambda.aws_lambda_function_name.as_str(),
        "lambda_function_name"
    );
    assert!(lambda.aws_endpoint_url.unwrap().is_loopback());
    assert!(lambda.ssl_cert_file.is_none());
    let error = super::read::<Lambda>("", &|_| None)
        .map(|_| ())
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("AWS_SECRET_ACCESS_KEY is missing")
    );
}

#[test]
fn optional_variables_have_defaults() {
    assert_eq!(times(&[]), Ok(Times::default()));
    let key = "arn:aws:kms:eu-west-1:123456789012:key/one";
    let published = |text| {
        let settings = read::<WellKnown>(&[(SIGNING_KEY, key), (PUBLISHED_KEYS, text)]);
        settings.unwrap().published_key_arns
    };
    assert_eq!(published(""), None);
    let two = format!("{key}, {key}");
    assert_eq!(published(&two).unwrap().0.len(), 2);
}

fn times(variables: &[(&str, &str)]) -> Result<Times, ConfigError> {
    let deployment = [("COUNTERSIGN_DEPLOYMENT", "shop")];
    read::<Common>(&[&deployment, variables].concat()).map(|common| common.times())
}

#[test]
fn times_have_a_unit_and_bounds() {
    let validity = |text| times(&[(VALIDITY, text)]).map(|t| t.validity);
    assert_eq!(validity("90s"), Ok(Duration::from_secs(90)));
    assert_eq!(validity("1d"), Ok(Duration::from_hours(24)));
    for wrong in [
        "0s",
        "2d",
        "5",
        "m",
        "5 m",
        "-5m",
        "99999999999999999999d",
        "5µs",
    ] {
        assert!(validity(wrong).is_err(), "{wrong}");
    }
    let retention = |text| times(&[(RETENTION, text)]).map(|t| t.retention);
    assert_eq!(retention("0d"), Ok(Duration::ZERO));
    assert!(retention("3651d").is_err());
}

#[test]
fn arns_of_another_kind_are_refused() {
    let key = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";
    assert_eq!(key.parse::<KeyArn>().unwrap().as_str(), key);
    assert!(
        "arn:aws-cn:kms:cn-north-1:123456789012:key/x"
            .parse::<KeyArn>()
            .is_ok()
    );
    assert!(
        "arn:aws:sns:eu-west-1:123456789012:key/x"
            .parse::<KeyArn>()
            .is_err()
    );
    assert!("key/x".parse::<KeyArn>().is_err());
    let topic = "arn:aws:sns:eu-west-1:123456789012:texts";
    assert_eq!(topic.parse::<TopicArn>().unwrap().as_str(), topic);
    assert!(format!("{topic}:8f5a").parse::<TopicArn>().is_err());
    assert!(
        "arn:aws:sns:eu-west-1:1234:texts"
            .parse::<TopicArn>()
            .is_err()
    );
}

#[test]
fn secrets_are_kept_in_secrets_manager() {
    let arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:x";
    let secret = format!("secretsmanager:{arn}").parse::<SecretName>();
    assert_eq!(secret.unwrap().as_str(), arn);
    for wrong in [
        "",
        "secretsmanager:",
        "ssm:/inbound",
        "whsec_abc",
        "file:/etc/passwd",
    ] {
        assert!(wrong.parse::<SecretName>().is_err(), "{wrong}");
    }
}

#[test]
fn socket_url_is_ws_or_wss() {
    for url in [
        "wss://abcd123.execute-api.eu-west-1.amazonaws.com/socket",
        "ws://127.0.0.1:4566/_aws/execute-api/abcd123/socket",
    ] {
        assert_eq!(url.parse::<SocketUrl>().unwrap().as_str(), url);
    }
    for wrong in ["", "https://example.com", "wss:", "example.com/socket"] {
        assert!(wrong.parse::<SocketUrl>().is_err(), "{wrong}");
    }
}

#[test]
fn optional_variable_is_absent_or_valid() {
    #[derive(Debug, Deserialize)]
    struct Optional {
        origin_secret: Option<SecretName>,
    }
    let secret = |text| {
        let read = read::<Optional>(&[(ORIGIN_SECRET, text)]);
        read.map(|settings| settings.origin_secret)
    };
    assert_eq!(secret(""), Ok(None));
    let origin = "secretsmanager:origin";
    assert_eq!(secret(origin), Ok(Some(origin.parse().unwrap())));
    let error = secret("hunter2").unwrap_err().to_string();
    assert!(error.contains(ORIGIN_SECRET) && !error.contains("hunter2"));
}

#[test]
fn other_machines_are_not_loopback() {
    let is_loopback = |text: &str| text.parse::<Endpoint>().unwrap().is_loopback();
    assert!(is_loopback("http://127.0.0.1:4566"));
    assert!(is_loopback("http://localhost:4566"));
    assert!(is_loopback("http://[::1]:4566"));
    assert!(!is_loopback(
        "https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com"
    ));
    assert!(!is_loopback("http://127.0.0.1.example.com"));
    assert!(!is_loopback("http://10.0.0.1"));
    assert!("ftp://127.0.0.1".parse::<Endpoint>().is_err());
}

#[test]
fn carriers_are_looked_up_by_aws_or_with_a_secret() {
    #[derive(Debug, Deserialize)]
    struct Optional {
        carrier_lookup: Option<CarrierLookupSource>,
    }
    let source = |text: &str| {
        let read = read::<Optional>(&[(CARRIER_LOOKUP, text)]);
        read.map(|settings| settings.carrier_lookup)
    };
    let twilio = "secretsmanager:arn:aws:secretsmanager:eu-west-1:123456789012:secret:twilio";
    assert_eq!(source("").unwrap(), None);
    assert_eq!(
        source("aws").unwrap(),
        Some(CarrierLookupSource::EndUserMessaging)
    );
    assert_eq!(
        source(twilio).unwrap(),
        Some(CarrierLookupSource::Twilio(twilio.parse().unwrap()))
    );
    for wrong in ["AWS", "twilio", "secretsmanager:", "hunter2"] {
        let error = source(wrong).unwrap_err().to_string();
        assert!(error.contains(CARRIER_LOOKUP), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}
