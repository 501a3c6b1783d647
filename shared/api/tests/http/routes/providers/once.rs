//! Calls whose signature leaves the ends of parameters ambiguous, and batches with an unusual
//! event.

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_inbound::SignedCall;

use super::{host, message, request, signed, status, text_of};
use crate::host::log;

#[tokio::test]
async fn recorded_call_of_twilio_cannot_be_split_differently() {
    let host = host().await;
    let session = host.acquire().await;
    let typed = format!("{}From+12025550166MessageSidSM2", message(&session));
    let text = InboundMessage {
        message_id: "SM1".to_owned(),
        ..text_of(Channel::Sms, &typed)
    };
    let call = signed(&host, "twilio", &text);
    let sent = String::from_utf8(call.body.clone()).unwrap();
    // The signed characters are the same: names and values are concatenated without a separator.
    let from = "&From=%2B12025550100";
    let split = sent
        .replace("From%2B12025550166MessageSidSM2", "")
        .replace(from, "&From=%2B12025550166MessageSidSM2From%2B12025550100");
    let split = SignedCall {
        body: split.into_bytes(),
        ..call.clone()
    };
    assert_eq!(host.send(request("twilio", call.clone())).await.status, 200);
    host.metrics.take();
    assert_eq!(host.send(request("twilio", split)).await.status, 401);
    assert_eq!(host.metrics.take(), ["inbound_refused"]);
    let again = host.send(request("twilio", call)).await;
    assert_eq!(again.status, 200, "a repeated delivery");
    assert_eq!(status(&host, &session).await, "open");
}

#[tokio::test]
async fn odd_event_of_a_batch_loses_no_text_and_is_logged() {
    let host = host().await;
    let session = host.acquire().await;
    let call = signed(&host, "infobip", &text_of(Channel::Sms, message(&session)));
    let one = String::from_utf8(call.body.clone()).unwrap();
    let odd = r#"{"messageId":"odd","from":"12025550100","to":null,"text":"CS-0"},{"#;
    let body = one.replacen("[{", &format!("[{odd}"), 1).into_bytes();
    host.metrics.take();
    let before = log::lines().len();
    let answer = host
        .send(request("infobip", SignedCall { body, ..call }))
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(status(&host, &session).await, "verified");
    let fields = &log::lines()[before]["fields"];
    assert_eq!(
        (&fields["ignored"], &fields["text"]),
        (&"malformed".into(), &"verified".into())
    );
    let counted = host.metrics.take();
    assert_eq!(counted, ["inbound_ignored", "verified"]);
}

#[tokio::test]
async fn ignored_call_says_why_in_the_log() {
    let host = host().await;
    let call = signed(&host, "infobip", &text_of(Channel::Sms, "CS-0"));
    let one = String::from_utf8(call.body.clone()).unwrap();
    for (replaced, by, why) in [
        (r#""text":"#, r#""other":"#, "not_a_text"),
        (r#""messageId":"#, r#""id":"#, "malformed"),
    ] {
        let body = one.replacen(replaced, by, 1).into_bytes();
        let call = SignedCall {
            body,
            ..call.clone()
        };
        let before = log::lines().len();
        assert_eq!(host.send(request("infobip", call)).await.status, 200);
        assert_eq!(log::lines()[before]["fields"]["ignored"], why);
    }
}
