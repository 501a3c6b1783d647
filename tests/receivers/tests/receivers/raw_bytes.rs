//! Tests that receivers verify the raw bytes, and not the output of a JSON library.

use serde_json::json;

use crate::fake::Key;
use crate::language;
use crate::process::pair;
use crate::webhook::{Webhook, body};

/// Maximum body size that each sample accepts, in bytes.
const MAX_BODY: usize = 64 * 1024;

#[tokio::test]
async fn bodies_that_libraries_write_differently_are_accepted() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let metadata = [
            json!({"html": "<script>alert('&')</script>"}),
            json!({"separators": "\u{2028}\u{2029}\u{7f}\u{85}\u{feff}"}),
            json!({"text": "Grüße 東京 🦀 \u{1f468}\u{200d}\u{1f469} e\u{301}"}),
            json!({"controls": "\u{0}\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f}", "slash": "/\\\""}),
            json!({"10": 1, "9": 2, "b": 3, "a": [true, null, {"z": 1, "y": 2}]}),
            json!({"numbers": [1.0, -0.0, 1e21, 1e-7, 0.1, 9_007_199_254_740_991_u64]}),
            json!({"confirmationId": "cfm_0", "validationStatus": "invalid", "phoneNumber": 1}),
        ];
        for metadata in metadata {
            let text = body(&receiver.begin().await, &metadata);
            let (status, answer) = receiver.deliver(&Webhook::signed(text.clone(), &key)).await;
            assert_eq!(
                (status.as_u16(), answer.as_str()),
                (200, "accepted"),
                "{name}: {text}"
            );
        }
    }
}

/// The service never sends these forms, but they show that no sample re-serializes the body.
#[tokio::test]
async fn bodies_in_another_form_are_accepted() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let forms: [fn(String) -> String; 4] = [
            |text| format!(" \r\n\t{text}\n"),
            |text| text.replace("\":", "\" : ").replace(',', ",\n  "),
            |text| text.replace("\"valid\"", "\"\\u0076alid\""),
            |text| {
                text.replace(
                    "{\"carrier\":\"\",",
                    "{\"z\":1E2,\"y\":1.50,\"carrier\":\"\\/\",",
                )
            },
        ];
        for (number, form) in forms.into_iter().enumerate() {
            let text = form(body(&receiver.begin().await, &json!({})));
            let (status, answer) = receiver.deliver(&Webhook::signed(text.clone(), &key)).await;
            assert_eq!(
                (status.as_u16(), answer.as_str()),
                (200, "accepted"),
                "{name} {number}"
            );
        }
    }
}

#[tokio::test]
async fn large_body_is_read_and_a_larger_one_is_refused() {
    let key = Key::generate("first");
    for language in language::available() {
        let name = language.name;
        let (_fake, receiver) = pair(language, &key).await;
        let id = receiver.begin().await;
        let empty = body(&id, &"".into()).len();
        let padded = |length: usize| {
            let text = body(&id, &"é".repeat((length - empty) / 2).into());
            let spaces = " ".repeat(length - text.len());
            Webhook::signed(text + &spaces, &key)
        };
        let too_large = padded(MAX_BODY + 1);
        assert_eq!(too_large.body.len(), MAX_BODY + 1);
        assert_eq!(receiver.deliver(&too_large).await.0, 413, "{name}");
        let (status, text) = receiver.deliver(&padded(MAX_BODY)).await;
        assert_eq!(
            (status.as_u16(), text.as_str()),
            (200, "accepted"),
            "{name}"
        );
    }
}
