use countersign_api::ProviderSource as _;
use countersign_domain::primitives::webhook_secret::WebhookSecret;
use countersign_inbound::InboundProvider;
use countersign_system::entropy::OsEntropy;

use super::*;
use crate::data_dir::INBOUND_SECRET;

const URL: &str = "https://text.example.com";

fn data() -> (tempfile::TempDir, DataDir) {
    let parent = tempfile::tempdir().unwrap();
    let data = DataDir::create(parent.path()).unwrap();
    (parent, data)
}

fn live(data: &DataDir) -> LiveProviders {
    LiveProviders::read(data, URL, no_certificates()).unwrap()
}

#[test]
fn file_turns_providers_on_beside_the_generic_one() {
    let (_parent, data) = data();
    assert_eq!(load(&data, None, None).unwrap().iter().count(), 0);
    inbound_secret::read_or_make(&data, false, &OsEntropy).unwrap();
    data.write(
        PROVIDERS,
        r#"{"twilio": {"authTokens": "0123456789abcdef0123456789abcdef"}}"#,
    )
    .unwrap();
    let on = load(&data, Some(URL), None).unwrap();
    let names: Vec<_> = on.iter().map(InboundProvider::name).collect();
    assert_eq!(names, ["generic", "twilio"]);
}

#[test]
fn mistake_is_named_with_its_file_and_without_secrets() {
    let (_parent, data) = data();
    for (text, expected) in [
        (
            r#"{"sinch": {"secrets": "hunter2"}}"#,
            "sinch: a secret must",
        ),
        (r#"{"sinch": "hunter2-hunter2"}"#, "not valid at line 1"),
        (
            r#"{"generic": {"secrets": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}}"#,
            "inbound-secret, one per line",
        ),
    ] {
        data.write(PROVIDERS, text).unwrap();
        let refused = load(&data, Some(URL), None).map(|_| ()).unwrap_err();
        let refused = countersign_api::Causes(&refused).to_string();
        assert!(refused.contains("providers.json"), "{refused}");
        assert!(refused.contains(expected), "{refused}");
        assert!(!refused.contains("hunter2"), "{refused}");
    }
}

#[tokio::test]
async fn settings_are_read_anew_and_a_mistake_changes_nothing() {
    let (_parent, data) = data();
    let live = live(&data);
    let has = async |name| live.current().await.get(name).is_some();
    assert!(!has("sinch").await);
    data.write(PROVIDERS, r#"{"sinch": {"secrets": "secret-one"}}"#)
        .unwrap();
    assert_eq!(live.reread().unwrap(), ["sinch"]);
    assert!(has("sinch").await);
    data.write(PROVIDERS, "{").unwrap();
    live.keep_up();
    assert!(has("sinch").await);
    assert!(live.reread().is_err());
    data.remove(PROVIDERS).unwrap();
    live.keep_up();
    assert!(has("sinch").await);
    let gone = live.reread().unwrap_err().to_string();
    assert!(gone.contains("is missing"), "{gone}");
    data.write(PROVIDERS, "{}").unwrap();
    live.keep_up();
    assert!(!has("sinch").await);
}

#[test]
fn two_lines_are_two_secrets() {
    let (_parent, data) = data();
    let first = inbound_secret::read_or_make(&data, false, &OsEntropy).unwrap();
    let second = WebhookSecret::generate(&OsEntropy);
    assert_eq!(inbound_secret::put(&data, &second, false).unwrap(), 0);
    let text = data.read(INBOUND_SECRET).unwrap().unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines, [second.reveal().as_str(), first.reveal().as_str()]);
    assert!(inbound_secret::read_all(&data).unwrap().unwrap().is_pair());
    let signs = inbound_secret::read(&data).unwrap().unwrap();
    assert_eq!(*signs.reveal(), *second.reveal());
    let third = WebhookSecret::generate(&OsEntropy);
    assert_eq!(inbound_secret::put(&data, &third, true).unwrap(), 2);
    let text = data.read(INBOUND_SECRET).unwrap().unwrap();
    assert_eq!(text.trim_end(), third.reveal().as_str());
}
