#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;

use super::settings::{Dispatcher, Settings as _, WellKnown};
use super::*;

fn read<T>(
    variables: &[(&str, &str)],
    read: impl FnOnce(&mut Environment<'_>) -> Option<T>,
) -> Result<T, ConfigError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    let variable = |name: &str| variables.get(name).map(|text| (*text).to_owned());
    let mut environment = Environment::new(&variable);
    let read = read(&mut environment);
    environment.finish(read)
}

#[test]
fn one_error_names_every_faulty_variable_and_no_value() {
    let dispatcher = read(
        &[
            (TABLE, "x"),
            (VALIDITY, "soon"),
            (SIGNING_KEY, "arn:aws:kms:eu-west-1:123456789012:alias/mine"),
        ],
        Dispatcher::read,
    );
    let keys = read(&[(PUBLISHED_KEYS, "hunter2")], WellKnown::read);
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
fn optional_variables_have_defaults() {
    let times = read(&[], times).unwrap();
    assert_eq!(times, Times::default());
    let key = "arn:aws:kms:eu-west-1:123456789012:key/one";
    let settings = read(&[(SIGNING_KEY, key), (PUBLISHED_KEYS, "")], WellKnown::read).unwrap();
    assert!(settings.published_keys.0.is_empty());
    let two = format!("{key}, {key}");
    let settings = read(
        &[(SIGNING_KEY, key), (PUBLISHED_KEYS, &two)],
        WellKnown::read,
    )
    .unwrap();
    assert_eq!(settings.published_keys.0.len(), 2);
}

fn times(environment: &mut Environment<'_>) -> Option<Times> {
    environment.times()
}

#[test]
fn times_have_a_unit_and_bounds() {
    let validity = |text| read(&[(VALIDITY, text)], times).map(|t| t.validity);
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
    let retention = |text| read(&[(RETENTION, text)], times).map(|t| t.retention);
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
    let secret = |text| {
        read(&[(ORIGIN_SECRET, text)], |environment| {
            environment.optional::<SecretName>(ORIGIN_SECRET)
        })
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
    let source = |text: &str| {
        read(&[(CARRIER_LOOKUP, text)], |environment| {
            environment.optional::<CarrierLookupSource>(CARRIER_LOOKUP)
        })
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
