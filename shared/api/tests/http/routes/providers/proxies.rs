//! A proxy that changes host, port and path.

use countersign_domain::confirmation::text::Channel;
use countersign_inbound::Settings;
use http::HeaderValue;
use std::sync::Arc;

use super::{SETTINGS, host_with, message, request, status, text_of};

/// The address that the providers call; the router sees neither the host nor `/base`.
const PUBLIC: &str = "https://example.com:8443/base";

#[tokio::test]
async fn providers_that_sign_the_address_sign_the_public_one() {
    for signature in ["v2", "v3"] {
        let settings = SETTINGS.replace("https://text.example.com", PUBLIC);
        let settings = settings.replace(
            r#""signature": "v2""#,
            &format!(r#""signature": "{signature}""#),
        );
        let mut settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
        settings.as_object_mut().unwrap().remove("sns");
        let parsed = Settings::parse(settings.to_string().as_bytes()).unwrap();
        let all = Arc::new(parsed.providers(None).unwrap());
        let host = host_with(|inbound| inbound.providers = all.clone()).await;
        for name in ["twilio", "plivo"] {
            let session = host.acquire().await;
            let text = text_of(Channel::Sms, message(&session));
            let provider = all.get(name).unwrap();
            let call = provider.sign(&text, host.clock.get(), name).unwrap();
            let mut behind = request(name, call);
            for (header, value) in [
                ("host", "127.0.0.1:8787"),
                ("x-forwarded-host", "evil.example"),
                ("x-forwarded-prefix", "/elsewhere"),
                ("x-forwarded-proto", "http"),
            ] {
                let value = HeaderValue::from_static(value);
                behind.headers_mut().insert(header, value);
            }
            let answer = host.send(behind).await;
            assert_eq!(answer.status, 200, "{name} {signature}: {answer:?}");
            assert_eq!(status(&host, &session).await, "verified", "{name}");
        }
    }
}
