//! Texts on WhatsApp, from each provider that delivers them, and senders that are not phones.

use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::confirmation::text::{Channel, InboundMessage};
use serde_json::{Value, json};

use super::{host, message, request, signed, signed_once, status, text_of};
use crate::host::{Answer, CALLBACK, Host, PERSON, SEND_TO, WHATSAPP, app, id_of};

/// The providers that deliver WhatsApp texts.
const CARRIERS: [&str; 3] = ["whatsapp", "twilio", "vonage-messages"];

/// Creates a host whose app has a number on WhatsApp.
async fn host_on_whatsapp() -> Host {
    let host = host().await;
    name_whatsapp(&host, Some(WHATSAPP)).await;
    host
}

/// Changes the app's number on WhatsApp.
async fn name_whatsapp(host: &Host, number: Option<&str>) {
    let number = number.map(|number| number.parse::<WhatsAppNumber>().unwrap());
    host.change_app(|app| app.whatsapp = number).await;
}

/// Returns a text with its own message id.
fn sent(channel: Channel, id: &str, [from, to]: [&str; 2], text: &str) -> InboundMessage {
    InboundMessage {
        message_id: id.to_owned(),
        from: from.to_owned(),
        to: to.to_owned(),
        ..text_of(channel, text)
    }
}

async fn hand_in(host: &Host, name: &str, text: &InboundMessage) -> Answer {
    host.send(request(name, signed(host, name, text))).await
}

/// Delivers a WhatsApp text from [`PERSON`].
async fn whatsapp(host: &Host, name: &str, id: &str, to: &str, text: &str) -> Answer {
    let text = sent(Channel::WhatsApp, id, [PERSON, to], text);
    hand_in(host, name, &text).await
}

async fn shown(host: &Host, session: &Value) -> Value {
    let path = format!("/confirmations/{}", id_of(session));
    host.call("GET", &path, None).await.json()
}

/// Checks that the provider got the answer that it gets for every text.
fn assert_taken(name: &str, answer: &Answer) {
    assert_eq!(answer.status, 200, "{name}: {answer:?}");
    let body = std::str::from_utf8(&answer.body).unwrap();
    assert!(!body.contains("Message"), "{name}: {body}");
}

#[tokio::test]
async fn text_on_whatsapp_verifies_a_confirmation_whose_app_names_the_number() {
    let host = host_on_whatsapp().await;
    for name in CARRIERS {
        let session = host.acquire().await;
        host.metrics.take();
        let answer = whatsapp(&host, name, name, WHATSAPP, message(&session)).await;
        assert_taken(name, &answer);
        assert_eq!(host.metrics.take(), ["verified"], "{name}");
        let shown = shown(&host, &session).await;
        assert_eq!(shown["status"], "verified", "{name}");
        // Meta and Vonage write the number without a plus.
        assert_eq!(shown["result"]["phoneNumber"], PERSON, "{name}");
        assert_eq!(shown["result"]["carrier"], "", "{name}");
        let again = whatsapp(&host, name, name, WHATSAPP, message(&session)).await;
        assert_taken(name, &again);
        assert_eq!(host.metrics.take(), ["text_repeated"], "{name}");
    }
}

/// Senders who hide their number, in each provider's notation, and networks whose senders are not
/// verified.
#[tokio::test]
async fn text_without_a_number_verifies_nothing_and_says_so() {
    let host = host_on_whatsapp().await;
    let id = "US.13491208655302741918";
    for (name, channel, from, to) in [
        ("whatsapp", Channel::WhatsApp, id, WHATSAPP),
        ("whatsapp", Channel::WhatsApp, "", WHATSAPP),
        ("twilio", Channel::WhatsApp, id, WHATSAPP),
        ("twilio", Channel::WhatsApp, "", WHATSAPP),
        ("twilio", Channel::Other, PERSON, SEND_TO),
        ("twilio", Channel::Sms, "messenger:12025550100", SEND_TO),
        ("vonage-messages", Channel::WhatsApp, id, WHATSAPP),
        ("vonage-messages", Channel::WhatsApp, "", WHATSAPP),
        ("vonage-messages", Channel::Other, PERSON, SEND_TO),
        ("vonage-sms", Channel::Sms, "anonymous", SEND_TO),
        ("sinch", Channel::Sms, "", SEND_TO),
        ("sms-gate", Channel::Sms, "Unknown", SEND_TO),
        ("plivo", Channel::Sms, "", SEND_TO),
        ("infobip", Channel::Sms, "", SEND_TO),
        ("bandwidth", Channel::Sms, "", SEND_TO),
    ] {
        let session = host.acquire().await;
        host.metrics.take();
        let text = sent(channel, name, [from, to], message(&session));
        assert_taken(name, &hand_in(&host, name, &text).await);
        assert_eq!(
            host.metrics.take(),
            ["miss_number_hidden"],
            "{name}: {from}"
        );
        let item = shown(&host, &session).await;
        assert_eq!(item["status"], "open", "{name}: {from}");
        assert_eq!(
            item["lastMiss"]["reason"], "number_hidden",
            "{name}: {from}"
        );
        // The same user may send it as an SMS.
        let again = sent(Channel::Sms, "again", [PERSON, SEND_TO], message(&session));
        assert_taken("twilio", &hand_in(&host, "twilio", &again).await);
        assert_eq!(status(&host, &session).await, "verified", "{name}: {from}");
    }
}

#[tokio::test]
async fn text_to_a_number_of_the_other_channel_is_a_wrong_recipient() {
    let host = host_on_whatsapp().await;
    for name in CARRIERS {
        let mut cases = vec![(Channel::WhatsApp, SEND_TO)];
        if name != "whatsapp" {
            cases.push((Channel::Sms, WHATSAPP));
        }
        for (channel, to) in cases {
            let session = host.acquire().await;
            let text = sent(channel, "message-1", [PERSON, to], message(&session));
            host.metrics.take();
            assert_taken(name, &hand_in(&host, name, &text).await);
            assert_eq!(host.metrics.take(), ["miss_recipient"], "{name} {to}");
            let shown = shown(&host, &session).await;
            assert_eq!(shown["status"], "open", "{name} {to}");
            assert_eq!(shown["lastMiss"]["reason"], "wrong_recipient", "{name}");
        }
    }
}

#[tokio::test]
async fn one_number_may_receive_texts_on_both_channels() {
    let host = host().await;
    name_whatsapp(&host, Some(SEND_TO)).await;
    for name in ["twilio", "vonage-messages"] {
        for channel in [Channel::Sms, Channel::WhatsApp] {
            let session = host.acquire().await;
            let id = format!("{name}-{channel:?}");
            let text = sent(channel, &id, [PERSON, SEND_TO], message(&session));
            assert_taken(name, &hand_in(&host, name, &text).await);
            assert_eq!(status(&host, &session).await, "verified", "{id}");
        }
    }
}

#[tokio::test]
async fn number_of_another_app_does_not_verify_on_whatsapp() {
    let host = host().await;
    let key = host.stranger().await;
    let mut stranger = app("stranger");
    stranger.whatsapp = WHATSAPP.parse::<WhatsAppNumber>().ok();
    host.replace_app(stranger).await;
    drop(key);
    for named in [None, Some("+12025550178")] {
        name_whatsapp(&host, named).await;
        for name in CARRIERS {
            let session = host.acquire().await;
            host.metrics.take();
            let answer = whatsapp(&host, name, "message-1", WHATSAPP, message(&session)).await;
            assert_taken(name, &answer);
            assert_eq!(host.metrics.take(), ["miss_recipient"], "{name}");
            let shown = shown(&host, &session).await;
            assert_eq!(shown["status"], "open", "{name}");
            assert_eq!(shown["lastMiss"]["reason"], "wrong_recipient", "{name}");
        }
    }
}

#[tokio::test]
async fn open_confirmation_keeps_the_number_that_its_link_names() {
    let host = host().await;
    let before = host.acquire().await;
    name_whatsapp(&host, Some(WHATSAPP)).await;
    let with = host.acquire().await;
    name_whatsapp(&host, None).await;
    let answer = whatsapp(&host, "whatsapp", "1", WHATSAPP, message(&before)).await;
    assert_taken("whatsapp", &answer);
    assert_eq!(status(&host, &before).await, "open");
    let answer = whatsapp(&host, "whatsapp", "2", WHATSAPP, message(&with)).await;
    assert_taken("whatsapp", &answer);
    assert_eq!(status(&host, &with).await, "verified");
}

#[tokio::test]
async fn sender_that_is_not_a_phone_is_taken_and_counted() {
    let host = host_on_whatsapp().await;
    let session = host.acquire().await;
    let text = message(&session);
    for (name, from) in [
        ("twilio", "ACME"),
        ("sinch", "ACME"),
        ("sms-gate", "ACME"),
        ("plivo", "ACME"),
        ("infobip", "ACME"),
        ("vonage-sms", "ACME"),
        ("vonage-messages", "ACME"),
        ("bandwidth", "12345"),
    ] {
        host.metrics.take();
        let id = format!("{name}-{from}");
        let text = sent(Channel::Sms, &id, [from, SEND_TO], text);
        let answer = hand_in(&host, name, &text).await;
        assert_taken(&id, &answer);
        assert_eq!(host.metrics.take(), ["miss_sender"], "{id}");
    }
    let shown = shown(&host, &session).await;
    assert_eq!(shown["status"], "open");
    assert_eq!(shown["lastMiss"]["reason"], "wrong_sender");
}

/// Twilio's prefix must be on both numbers; otherwise the text came from neither network.
#[tokio::test]
async fn sender_on_whatsapp_does_not_count_at_a_number_for_texts() {
    let host = host_on_whatsapp().await;
    let session = host.acquire().await;
    let text = message(&session);
    let on_whatsapp = format!("whatsapp:{PERSON}");
    let to_whatsapp = format!("whatsapp:{WHATSAPP}");
    for (from, to, counted) in [
        (on_whatsapp.as_str(), SEND_TO, "miss_number_hidden"),
        (on_whatsapp.as_str(), WHATSAPP, "miss_number_hidden"),
        (PERSON, to_whatsapp.as_str(), "miss_number_hidden"),
    ] {
        host.metrics.take();
        let text = sent(Channel::Sms, from, [from, to], text);
        assert_taken("twilio", &hand_in(&host, "twilio", &text).await);
        assert_eq!(host.metrics.take(), [counted], "{from} {to}");
    }
    assert_eq!(status(&host, &session).await, "open");
}

#[tokio::test]
async fn opt_out_words_are_never_codes_and_never_answered() {
    let host = host_on_whatsapp().await;
    let session = host.acquire().await;
    let words = ["STOP", "stop", "HELP", "START", "UNSUBSCRIBE", "STOP ALL"];
    for name in super::SIGNING.into_iter().chain(["whatsapp"]) {
        for word in words {
            host.metrics.take();
            let (channel, to) = match name {
                "whatsapp" => (Channel::WhatsApp, WHATSAPP),
                _ => (Channel::Sms, SEND_TO),
            };
            let text = sent(channel, word, [PERSON, to], word);
            // Plivo's nonce is accepted once per body.
            let call = signed_once(&host, name, &text, word);
            let answer = host.send(request(name, call)).await;
            assert_taken(name, &answer);
            assert_eq!(host.metrics.take(), ["miss_no_code"], "{name} {word}");
        }
    }
    let shown = shown(&host, &session).await;
    assert_eq!(shown["status"], "open");
    assert_eq!(shown.get("lastMiss"), None);
    // A user who sent STOP can still confirm.
    let answer = whatsapp(&host, "whatsapp", "last", WHATSAPP, message(&session)).await;
    assert_taken("whatsapp", &answer);
    assert_eq!(status(&host, &session).await, "verified");
}

#[tokio::test]
async fn whatsapp_link_is_present_only_if_the_app_names_a_number() {
    let host = host().await;
    let session = host.acquire().await;
    assert_eq!(session["confirmationUri"].get("whatsapp"), None);
    host.change_app(|app| {
        app.whatsapp = WHATSAPP.parse::<WhatsAppNumber>().ok();
        app.template = "Größe, 1: {code}".parse().unwrap();
    })
    .await;
    let session = host.acquire().await;
    let code = message(&session).strip_prefix("Größe, 1: ").unwrap();
    assert_eq!(
        session["confirmationUri"]["whatsapp"],
        format!("https://wa.me/12025550177?text=Gr%C3%B6%C3%9Fe%2C%201%3A%20{code}")
    );
    assert_eq!(session["sendTo"], SEND_TO);
}

#[tokio::test]
async fn replay_repeats_the_whatsapp_link_of_the_first_answer() {
    let host = host_on_whatsapp().await;
    let start = async || {
        let body = json!({"callbackUrl": CALLBACK}).to_string();
        let mut request = host.request("POST", "/acquire-phone-number", body);
        let key = http::HeaderValue::from_static("key-1");
        request.headers_mut().insert("idempotency-key", key);
        host.send(request).await.json()
    };
    let first = start().await;
    assert!(first["confirmationUri"]["whatsapp"].is_string());
    name_whatsapp(&host, Some("+12025550178")).await;
    assert_eq!(start().await, first);
    name_whatsapp(&host, None).await;
    assert_eq!(start().await, first);
}
