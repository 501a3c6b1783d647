#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;

use super::*;

fn reading<T>(
    variables: &[(&str, &str)],
    read: impl FnOnce(&mut Configuration<'_>) -> Option<T>,
) -> Result<T, ConfigurationError> {
    let variables: HashMap<&str, &str> = variables.iter().copied().collect();
    let variable = |name: &str| variables.get(name).map(|text| (*text).to_owned());
    let mut configuration = Configuration::new(&variable);
    let read = read(&mut configuration);
    configuration.finish(read)
}

#[test]
fn one_message_names_everything_that_is_wrong_and_no_value() {
    let error = reading(
        &[
            (TABLE, "x"),
            (VALIDITY, "soon"),
            (SIGNING_KEY, "arn:aws:kms:eu-west-1:123456789012:alias/mine"),
            (PUBLISHED_KEYS, "hunter2"),
        ],
        |configuration| {
            let table = configuration.table();
            let times = configuration.times();
            let queue = configuration.first_attempts();
            let key = configuration.signing_key();
            let keys = configuration.published_keys();
            Some((table?, times?, queue?, key?, keys?))
        },
    )
    .unwrap_err()
    .to_string();
    for name in [TABLE, VALIDITY, FIRST_ATTEMPTS, SIGNING_KEY, PUBLISHED_KEYS] {
        assert!(error.contains(name), "{name} in: {error}");
    }
    assert!(error.contains(&format!("{FIRST_ATTEMPTS} is missing")));
    for value in ["soon", "alias/mine", "hunter2"] {
        assert!(!error.contains(value), "{value} in: {error}");
    }
}

#[test]
fn defaults_stand_in_for_what_may_be_left_out() {
    let (times, keys) = reading(&[(PUBLISHED_KEYS, "")], |configuration| {
        Some((configuration.times()?, configuration.published_keys()?))
    })
    .unwrap();
    assert_eq!(times, Times::default());
    assert!(keys.is_empty());
}

fn times(configuration: &mut Configuration<'_>) -> Option<Times> {
    configuration.times()
}

#[test]
fn times_have_a_unit_and_bounds() {
    let validity = |text| reading(&[(VALIDITY, text)], times).map(|t| t.validity);
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
    let retention = |text| reading(&[(RETENTION, text)], times).map(|t| t.retention);
    assert_eq!(retention("0d"), Ok(Duration::ZERO));
    assert!(retention("3651d").is_err());
}

#[test]
fn arns_are_of_the_right_kind() {
    let key = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";
    assert_eq!(KeyArn::parse(key).unwrap().as_str(), key);
    assert!(KeyArn::parse("arn:aws-cn:kms:cn-north-1:123456789012:key/x").is_some());
    assert!(KeyArn::parse("arn:aws:sns:eu-west-1:123456789012:key/x").is_none());
    assert!(KeyArn::parse("key/x").is_none());
    let topic = "arn:aws:sns:eu-west-1:123456789012:texts";
    assert_eq!(TopicArn::parse(topic).unwrap().as_str(), topic);
    assert!(TopicArn::parse(&format!("{topic}:8f5a")).is_none());
    assert!(TopicArn::parse("arn:aws:sns:eu-west-1:1234:texts").is_none());
}

#[test]
fn a_secret_is_read_from_one_of_two_services() {
    assert_eq!(
        SecretSource::parse(
            "secretsmanager:arn:aws:secretsmanager:eu-west-1:123456789012:secret:x"
        ),
        Some(SecretSource::SecretsManager(
            "arn:aws:secretsmanager:eu-west-1:123456789012:secret:x".to_owned()
        ))
    );
    assert_eq!(
        SecretSource::parse("ssm:/countersign/inbound"),
        Some(SecretSource::Parameter("/countersign/inbound".to_owned()))
    );
    for wrong in ["", "ssm:", "whsec_abc", "file:/etc/passwd"] {
        assert_eq!(SecretSource::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn a_socket_has_a_url_for_browsers() {
    for url in [
        "wss://abcd123.execute-api.eu-west-1.amazonaws.com/socket",
        "ws://127.0.0.1:4566/_aws/execute-api/abcd123/socket",
    ] {
        assert_eq!(SocketUrl::parse(url).unwrap().as_str(), url);
    }
    for wrong in ["", "https://example.com", "wss:", "example.com/socket"] {
        assert_eq!(SocketUrl::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn an_origin_secret_may_be_left_out_but_not_be_wrong() {
    let secret = |text| {
        reading(&[(ORIGIN_SECRET, text)], |configuration| {
            Some(configuration.origin_secret())
        })
    };
    assert_eq!(secret(""), Ok(None));
    let source = SecretSource::Parameter("/origin".to_owned());
    assert_eq!(secret("ssm:/origin"), Ok(Some(source)));
    let error = secret("hunter2").unwrap_err().to_string();
    assert!(error.contains(ORIGIN_SECRET) && !error.contains("hunter2"));
}

#[test]
fn only_this_machine_is_loopback() {
    let is_loopback = |text| Endpoint::parse(text).unwrap().is_loopback();
    assert!(is_loopback("http://127.0.0.1:4566"));
    assert!(is_loopback("http://localhost:4566"));
    assert!(is_loopback("http://[::1]:4566"));
    assert!(!is_loopback(
        "https://vpce-1.dynamodb.eu-west-1.vpce.amazonaws.com"
    ));
    assert!(!is_loopback("http://127.0.0.1.example.com"));
    assert!(!is_loopback("http://10.0.0.1"));
    assert_eq!(Endpoint::parse("ftp://127.0.0.1"), None);
}
