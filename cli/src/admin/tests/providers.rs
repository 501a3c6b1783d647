use super::*;
use crate::admin::providers::{ListProviders, ShowProvider, TestProvider};
use crate::data_dir::PROVIDERS;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

const SETTINGS: &str = r#"{
    "publicUrl": "https://text.example.com",
    "twilio": {"authTokens": ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"]},
    "sns": {"topic": "arn:aws:sns:eu-west-1:123456789012:texts", "signatureVersion": "2"},
    "whatsapp": {"appSecrets": "0123456789abcdef0123456789abcdef", "verifyToken": "secret-two"}
}"#;

async fn show(admin: &Admin, provider: &str) -> Value {
    let request = serde_json::from_value::<ShowProvider>(json!({ "provider": provider }));
    execute(admin, request.unwrap()).await.unwrap().0
}

#[tokio::test]
async fn stopped_server_tells_what_is_set_but_knows_no_calls() {
    let data = data();
    data.dir.write(PROVIDERS, SETTINGS).unwrap();
    let admin = Admin::of_storage(&data.storage, false, None);
    let (listed, _) = execute(&admin, ListProviders {}).await.unwrap();
    let listed = listed.as_array().unwrap();
    let of = |name: &str| listed.iter().find(|item| item["name"] == name);
    assert_eq!(of("twilio").unwrap()["on"], true);
    assert_eq!(of("twilio").unwrap()["accepted"], Value::Null);
    assert_eq!(of("sinch").unwrap()["on"], false);
    // Only a deployment on AWS has the function for a topic.
    assert_eq!(of("end-user-messaging"), None);

    let shown = show(&admin, "twilio").await;
    assert_eq!(shown["title"], "Twilio");
    assert_eq!(shown["url"], "https://text.example.com/inbound-sms/twilio");
    assert_eq!(shown["secrets"], 2);
    assert_eq!(shown["calls"], Value::Null);
    assert!(
        shown["callsElsewhere"]["sentence"]
            .as_str()
            .unwrap()
            .contains("stopped")
    );
    assert!(shown["steps"].as_str().unwrap().starts_with("1. Console"));
    let sns = show(&admin, "sns").await;
    assert_eq!(sns["soleSigner"], "AWS");
    let steps = sns["steps"].as_str().unwrap();
    let command = "--topic-arn arn:aws:sns:eu-west-1:123456789012:texts";
    assert!(steps.contains(command), "{steps}");
}

#[tokio::test]
async fn no_secret_is_shown_not_even_a_token() {
    let data = data();
    data.dir.write(PROVIDERS, SETTINGS).unwrap();
    let admin = Admin::of_storage(&data.storage, false, None);
    let mut shown = execute(&admin, ListProviders {})
        .await
        .unwrap()
        .0
        .to_string();
    for spec in countersign_inbound::SPECS {
        shown += &show(&admin, spec.name).await.to_string();
    }
    for secret in [TOKEN, "fedcba98", "secret-two"] {
        assert!(!shown.contains(secret), "{secret}");
    }
    let steps = show(&admin, "whatsapp").await["steps"].to_string();
    let hint = "Verify token: TOKEN (`countersign provider show whatsapp` prints it)";
    assert!(steps.contains(hint), "{steps}");
}

#[tokio::test]
async fn trial_needs_a_provider_that_is_on_and_that_we_can_sign_for() {
    let data = data();
    data.dir.write(PROVIDERS, SETTINGS).unwrap();
    let admin = Admin::of_storage(&data.storage, false, None);
    for (provider, why) in [
        ("sinch", "sinch is off: `countersign provider add sinch`"),
        ("sns", "only the provider itself can sign for sns"),
        ("end-user-messaging", "only the provider itself can sign"),
    ] {
        let request = serde_json::from_value::<TestProvider>(json!({ "provider": provider }));
        let refused = execute(&admin, request.unwrap()).await.unwrap_err();
        assert!(refused.to_string().starts_with(why), "{refused}");
        assert!(!refused.is_ours());
    }
    data.dir.write(PROVIDERS, "{}").unwrap();
    let request = serde_json::from_value::<TestProvider>(json!({ "provider": "twilio" }));
    let refused = execute(&admin, request.unwrap()).await;
    assert!(
        matches!(refused, Err(AdminError::NotRunning)),
        "{refused:?}"
    );
    assert!(serde_json::from_value::<ShowProvider>(json!({ "provider": "x" })).is_err());
}
