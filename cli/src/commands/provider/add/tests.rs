use super::*;
use crate::args::{ProviderName, ProviderOptions};

fn provider(name: &str) -> ProviderName {
    name.parse().unwrap()
}

fn args(name: &str) -> AddProviderArgs {
    AddProviderArgs {
        provider: provider(name),
        replace: false,
        generate: false,
        options: ProviderOptions::default(),
    }
}

fn with(name: &str, options: &[(&'static str, &str)]) -> AddProviderArgs {
    let options = options.iter();
    AddProviderArgs {
        options: options
            .map(|(flag, value)| (*flag, (*value).to_owned()))
            .collect(),
        ..args(name)
    }
}

fn entered(before: Value, args: &AddProviderArgs, secret: &str) -> Result<Value, Failure> {
    let Value::Object(mut settings) = before else {
        panic!("settings are an object");
    };
    let spec = args.provider.0;
    refuse_options(spec, args)?;
    enter(&mut settings, spec, args, Some(secret))?;
    Ok(Value::Object(settings))
}

#[test]
fn new_secret_comes_first_and_one_old_is_kept() {
    let twilio = args("twilio");
    let first = entered(json!({}), &twilio, "token-one").unwrap();
    assert_eq!(first, json!({"twilio": {"authTokens": ["token-one"]}}));
    let second = entered(first, &twilio, "token-two").unwrap();
    let both = json!({"twilio": {"authTokens": ["token-two", "token-one"]}});
    assert_eq!(second, both);
    let third = entered(second, &twilio, "token-three").unwrap();
    let both = json!({"twilio": {"authTokens": ["token-three", "token-two"]}});
    assert_eq!(third, both);
    let shared = with("twilio", &[("shared-key", "")]);
    let fourth = entered(third, &shared, "shared-key").unwrap();
    let both = json!({"twilio": {"sharedKeys": ["shared-key"], "authTokens": ["token-three"]}});
    assert_eq!(fourth, both);
    let alone = AddProviderArgs {
        replace: true,
        ..args("twilio")
    };
    let fifth = entered(fourth, &alone, "token-four").unwrap();
    assert_eq!(fifth, json!({"twilio": {"authTokens": ["token-four"]}}));
}

#[test]
fn each_api_key_has_its_own_rotation() {
    let key = |name: &str| with("vonage-messages", &[("key", name)]);
    let plain = entered(json!({}), &args("vonage-messages"), "sms-secret").unwrap();
    let first = entered(plain, &key("a1b2c3d4"), "secret-one").unwrap();
    let second = entered(first, &key("a1b2c3d4"), "secret-two").unwrap();
    let again = entered(second, &key("a1b2c3d4"), "secret-two").unwrap();
    let other = entered(again, &key("e5f6a7b8"), "secret-six").unwrap();
    let expected = json!({"vonage-messages": {
        "secrets": ["sms-secret"],
        "keys": {"a1b2c3d4": ["secret-two", "secret-one"], "e5f6a7b8": ["secret-six"]},
    }});
    assert_eq!(other, expected);
    let back = entered(other, &key("a1b2c3d4"), "secret-one").unwrap();
    let keys = json!({"a1b2c3d4": ["secret-one", "secret-two"], "e5f6a7b8": ["secret-six"]});
    assert_eq!(back["vonage-messages"]["keys"], keys);
    let alone = AddProviderArgs {
        replace: true,
        ..key("a1b2c3d4")
    };
    let replaced = entered(back, &alone, "secret-new").unwrap();
    let keys = &replaced["vonage-messages"]["keys"];
    assert_eq!(keys["a1b2c3d4"], json!(["secret-new"]));
    let refused = entered(
        json!({}),
        &AddProviderArgs {
            provider: provider("sinch"),
            ..alone
        },
        "s",
    );
    assert_eq!(refused.unwrap_err().to_string(), "sinch has no --key");
}

#[test]
fn same_secret_again_changes_nothing() {
    let sinch = args("sinch");
    let first = entered(json!({}), &sinch, "secret-one").unwrap();
    assert_eq!(entered(first.clone(), &sinch, "secret-one").unwrap(), first);
    let second = entered(first, &sinch, "secret-two").unwrap();
    let again = entered(second.clone(), &sinch, "secret-two").unwrap();
    assert_eq!(again, second);
}

#[test]
fn needed_options_are_asked_for_and_kept() {
    let refused = entered(json!({}), &args("plivo"), "auth-token").unwrap_err();
    assert!(refused.to_string().contains("plivo needs --signature;"));
    let given = with("plivo", &[("signature", "v3")]);
    let first = entered(json!({}), &given, "auth-token").unwrap();
    let second = entered(first, &args("plivo"), "auth-token-2").unwrap();
    assert_eq!(second["plivo"]["signature"], "v3");
    let refused = entered(
        json!({}),
        &AddProviderArgs {
            provider: provider("sinch"),
            ..given
        },
        "s",
    );
    assert_eq!(refused.unwrap_err().to_string(), "sinch has no --signature");
}

#[test]
fn infobip_has_one_kind_of_proof() {
    let first = entered(json!({}), &args("infobip"), "name:0123456789abcdef").unwrap();
    let hmac = with(
        "infobip",
        &[("algorithm", "sha256"), ("header", "x-signature")],
    );
    let second = entered(first, &hmac, "secret-one").unwrap();
    let expected = json!({"infobip": {"secrets": ["secret-one"], "algorithm": "sha256", "header": "x-signature"}});
    assert_eq!(second, expected);
}

#[test]
fn phone_keeps_its_number_and_country_when_its_key_changes() {
    let refused = entered(json!({}), &args("sms-gate"), "key-one").unwrap_err();
    assert!(refused.to_string().contains("sms-gate needs --number;"));
    let phone = with(
        "sms-gate",
        &[("number", "+447700900123"), ("country", "GB")],
    );
    let first = entered(json!({}), &phone, "key-one").unwrap();
    let second = entered(first, &args("sms-gate"), "key-two").unwrap();
    let expected = json!({"sms-gate": {
        "secrets": ["key-two", "key-one"], "number": "+447700900123", "country": "GB",
    }});
    assert_eq!(second, expected);
    let other = with("sinch", &[("number", "+447700900123")]);
    let refused = entered(json!({}), &other, "key-one").unwrap_err();
    assert_eq!(refused.to_string(), "sinch has no --number");
}
