use super::*;
use crate::InboundProvider;
use crate::sns::{CertificateUnavailable, CertificateUrl};

struct NoCertificates;

#[async_trait::async_trait]
impl CertificateSource for NoCertificates {
    async fn fetch(&self, _: &CertificateUrl) -> Result<Vec<u8>, CertificateUnavailable> {
        Err(CertificateUnavailable)
    }
}

const ALL: &str = r#"{
    "publicUrl": "https://text.example.com",
    "generic": {"secrets": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
    "twilio": {"authTokens": "0123456789abcdef0123456789abcdef", "sharedKeys": ["secret-two"]},
    "vonage-sms": {"secrets": "secret-one", "algorithm": "sha512"},
    "vonage-messages": {"secrets": ["secret-one", "secret-two"]},
    "telnyx": {"publicKeys": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="},
    "plivo": {"authTokens": "secret-one", "signature": "v3"},
    "sinch": {"secrets": "secret-one"},
    "sms-gate": {"secrets": "secret-one", "number": "+44 7700 900123", "country": "GB"},
    "infobip": {"secrets": "secret-one", "algorithm": "sha256", "header": "x-signature"},
    "bandwidth": {"credentials": "name:0123456789abcdef"},
    "sns": {"topic": "arn:aws:sns:eu-west-1:123456789012:texts", "signatureVersion": "2"},
    "whatsapp": {"appSecrets": "0123456789abcdef0123456789abcdef", "verifyToken": "secret-two"}
}"#;

fn providers(json: &str) -> Result<Providers, SettingsError> {
    Settings::parse(json.as_bytes())?.providers(Some(Arc::new(NoCertificates)))
}

fn reason(json: &str) -> String {
    providers(json).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn every_provider_can_be_on() {
    let all = providers(ALL).unwrap();
    let names: Vec<_> = all.iter().map(InboundProvider::name).collect();
    assert_eq!(
        names,
        [
            "bandwidth",
            "generic",
            "infobip",
            "plivo",
            "sinch",
            "sms-gate",
            "sns",
            "telnyx",
            "twilio",
            "vonage-messages",
            "vonage-sms",
            "whatsapp",
        ]
    );
}

#[test]
fn vonage_may_have_secrets_for_each_api_key() {
    for settings in [
        r#"{"keys": {"a1b2": "secret-one", "c3d4": ["secret-two", "secret-three"]}}"#,
        r#"{"secrets": ["secret-one", "secret-two"], "keys": {"c3d4": "secret-three"}}"#,
    ] {
        let on = providers(&format!(r#"{{"vonage-messages": {settings}}}"#)).unwrap();
        assert!(on.get("vonage-messages").is_some());
    }
}

#[test]
fn provider_without_settings_is_off() {
    let none = providers("{}").unwrap();
    assert_eq!(none.iter().count(), 0);
    assert!(none.get("generic").is_none());
}

#[test]
fn neither_settings_nor_errors_show_a_secret() {
    assert!(!format!("{:?}", providers(ALL).unwrap()).contains("secret-"));
    for bad in [
        r#"{"sinch": {"secrets": "s3cret "}}"#,
        r#"{"sinch": "s3cret-in-the-wrong-place"}"#,
        r#"{"sinch": {"secrets": ["s3cret-one", 7]}}"#,
        r#"{"sinch": {"s3cret": "x"}}"#,
        r#"{"bandwidth": {"credentials": "s3cret"}}"#,
    ] {
        assert!(!reason(bad).contains("s3cret"), "{bad}");
    }
}

#[test]
fn mistakes_are_named() {
    for (json, expected) in [
        (
            r#"{"sinch": {"secrets": []}}"#,
            "sinch: needs one secret, or two during a rotation",
        ),
        (
            r#"{"sinch": {"secrets": ["secret-1", "secret-2", "secret-3"]}}"#,
            "sinch: needs one secret, or two during a rotation",
        ),
        (
            r#"{"publicUrl": "https://x.example", "twilio": {}}"#,
            "twilio: needs one secret, or two during a rotation",
        ),
        (
            r#"{"twilio": {"authTokens": "0123456789abcdef0123456789abcdef"}}"#,
            "twilio: needs the setting publicUrl",
        ),
        (
            r#"{"infobip": {"secrets": "secret-one"}}"#,
            "infobip: needs either credentials, or secrets with algorithm and header",
        ),
        (
            r#"{"vonage-sms": {"secrets": "secret-one"}}"#,
            "the settings are not valid at line 1, column 40",
        ),
        (
            r#"{"plivo": {"authTokens": "secret-one", "signature": "v1"}}"#,
            "the settings are not valid at line 1, column 56",
        ),
        (
            r#"{"vonage-messages": {}}"#,
            "vonage-messages: needs secrets, or keys with their secrets",
        ),
        (
            r#"{"vonage-messages": {"keys": {"a1b2": []}}}"#,
            "vonage-messages: needs one secret, or two during a rotation",
        ),
        (
            r#"{"vonage-messages": {"keys": {"a b": "secret-one"}}}"#,
            "vonage-messages: an API key has 1 to 64 letters and digits, and there are at most 8",
        ),
        (
            r#"{"sms-gate": {"secrets": "secret-one", "country": "GB"}}"#,
            "the settings are not valid at line 1, column 55",
        ),
        (
            r#"{"sms-gate": {"secrets": "secret-one", "number": "07700 900123", "country": "GB"}}"#,
            "sms-gate: number: the phone number is not in international form: +, country code, number",
        ),
        (
            r#"{"sms-gate": {"secrets": "secret-one", "number": "+447700900123", "country": "UK"}}"#,
            "sms-gate: a country has two letters (ISO 3166), such as US or GB; did you mean GB?",
        ),
        (
            r#"{"sms-gate": {"secrets": "secret-one", "number": "+447700900123", "country": "DE"}}"#,
            "sms-gate: number: a SIM of DE has no such number; check country, too",
        ),
        (
            r#"{"twilio": {"authTokens": "0123456789abcdef"}, "publicUrl": "https://a.example"}"#,
            "twilio: this secret must have 32 hexadecimal digits",
        ),
        (
            r#"{"whatsapp": {"appSecrets": "0123456789abcdef", "verifyToken": "secret-two"}}"#,
            "whatsapp: this secret must have 32 hexadecimal digits",
        ),
        (
            r#"{"sms-gate": {"secrets": "secret-one", "number": "+447700900123", "country": "GBR"}}"#,
            "sms-gate: a country has two letters (ISO 3166), such as US or GB; did you mean GB?",
        ),
        (
            r#"{"sms-gate": {"secrets": "secret-one", "number": "+447700900123", "country": "AQ"}}"#,
            "sms-gate: there are no phone numbers of AQ",
        ),
        (
            r#"{"twillio": {}}"#,
            "the settings are not valid at line 1, column 10",
        ),
    ] {
        assert_eq!(reason(json), expected);
    }
    let sns =
        r#"{"sns": {"topic": "arn:aws:sns:eu-west-1:123456789012:t", "signatureVersion": "2"}}"#;
    let off = Settings::parse(sns.as_bytes()).unwrap().providers(None);
    assert!(off.is_err());
}
