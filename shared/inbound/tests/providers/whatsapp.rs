//! Meta's Cloud API: the handshake, and messages that are not texts.

use countersign_domain::confirmation::text::Channel;
use countersign_inbound::whatsapp::{SIGNATURE_HEADER, WhatsApp};
use countersign_inbound::{
    Call, Content, Ignored, Inbound, InboundError, MalformedText, ProviderResponse, Reading, read,
};
use futures_util::FutureExt as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, HeaderName, Method};
use serde_json::json;
use sha2::Sha256;

use crate::cases::{NOW, events, post, secret};

fn whatsapp() -> WhatsApp {
    WhatsApp::new(secret("first-secret"), secret("verify-token"))
}

fn get(query: Option<&str>) -> Result<Reading, InboundError> {
    let call = Call {
        method: &Method::GET,
        query,
        headers: &HeaderMap::new(),
        body: b"",
    };
    read(&whatsapp(), call, NOW).now_or_never().unwrap()
}

fn signed(body: &serde_json::Value) -> Result<Reading, InboundError> {
    let body = body.to_string();
    let mut mac = Hmac::<Sha256>::new_from_slice(b"first-secret").unwrap();
    mac.update(body.as_bytes());
    let digits = base16ct::lower::encode_string(&mac.finalize().into_bytes());
    let name = HeaderName::from_static(SIGNATURE_HEADER);
    post(
        &whatsapp(),
        &[(name, format!("sha256={digits}"))],
        body.as_bytes(),
        NOW,
    )
}

fn change(value: &serde_json::Value) -> Result<Reading, InboundError> {
    signed(&json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": "0", "changes": [{"field": "messages", "value": value}]}],
    }))
}

#[test]
fn handshake_repeats_the_challenge() {
    let query = "hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=verify-token";
    let answer = ProviderResponse {
        status: 200,
        content_type: Some("text/plain; charset=utf-8"),
        body: "1158201444".into(),
    };
    assert_eq!(
        get(Some(query)).unwrap().content,
        Content::Handshake(answer)
    );
}

#[test]
fn handshake_of_a_stranger_is_refused() {
    let refused = Err(InboundError::NotAuthentic);
    for query in [
        "hub.mode=subscribe&hub.challenge=1&hub.verify_token=verify-tokem",
        "hub.mode=subscribe&hub.challenge=1&hub.verify_token=",
        "hub.mode=subscribe&hub.challenge=1",
        "hub.mode=unsubscribe&hub.challenge=1&hub.verify_token=verify-token",
        "hub.challenge=1&hub.verify_token=verify-token",
        "hub.mode=subscribe&hub.verify_token=verify-token&hub.verify_token=verify-token",
    ] {
        assert_eq!(get(Some(query)), refused, "{query}");
    }
    assert_eq!(get(None), refused);
}

#[test]
fn challenge_that_could_be_markup_is_not_repeated() {
    for challenge in ["%3Cscript%3E", "", &"1".repeat(129)] {
        let query =
            format!("hub.mode=subscribe&hub.verify_token=verify-token&hub.challenge={challenge}");
        let taken = get(Some(&query));
        let invalid = MalformedText::Invalid("hub.challenge");
        match challenge {
            "" => assert!(taken.is_ok()),
            _ => assert_eq!(taken, Err(InboundError::Malformed(invalid))),
        }
    }
}

#[test]
fn messages_of_several_people_come_in_one_call() {
    let list = events(change(&json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "+1 202-555-0199", "phone_number_id": "7"},
        "messages": [
            {"id": "a", "from": "12025550100", "type": "text", "text": {"body": "CS-0"}},
            {"id": "b", "from": "12025550101", "type": "reaction", "reaction": {"emoji": "x"}},
            {"id": "c", "from": "12025550102", "type": "image", "image": {"id": "7"}},
            {"id": "d", "from_user_id": "US.1", "type": "text", "text": {"body": "CS-0"}},
        ],
    })));
    let [
        Inbound::Text {
            message,
            network: None,
        },
        rest @ ..,
        Inbound::Text {
            message: hidden, ..
        },
    ] = &list[..]
    else {
        panic!("{list:?}")
    };
    assert_eq!(message.from, "12025550100");
    assert_eq!(message.to, "12025550199");
    assert_eq!(message.channel, Channel::WhatsApp);
    assert_eq!(
        rest,
        [
            Inbound::Ignored(Ignored::NotAText),
            Inbound::Ignored(Ignored::NotAText),
        ]
    );
    assert_eq!(hidden.from, "");
}

#[test]
fn odd_change_or_message_loses_no_other() {
    let text = json!({"id": "a", "from": "12025550100", "type": "text", "text": {"body": "CS-0"}});
    let change = |metadata: serde_json::Value, messages: serde_json::Value| json!({"field": "messages", "value": {"metadata": metadata, "messages": messages}});
    let ours = json!({"display_phone_number": "12025550199"});
    let good = json!({"changes": [change(ours.clone(), json!([text]))]});
    let odd = |change| json!({"changes": [change]});
    let entries = [
        odd(change(json!(null), json!([text]))),
        odd(change(json!({}), json!([text]))),
        odd(change(json!({"display_phone_number": 7}), json!([text]))),
        odd(json!({"field": "messages", "value": {"messages": [text]}})),
        odd(json!({"field": "messages", "value": 7})),
        odd(json!({"field": "messages"})),
        odd(json!({"field": 7, "value": {}})),
        odd(json!(null)),
        odd(change(ours.clone(), json!([null]))),
        odd(change(ours.clone(), json!({}))),
        odd(change(
            ours.clone(),
            json!([{"from": "12025550100", "type": "text"}]),
        )),
        odd(change(
            ours.clone(),
            json!([{"id": "a", "from": 7, "type": "text"}]),
        )),
        odd(change(
            ours.clone(),
            json!([{"id": "a", "type": "text", "text": "CS-0"}]),
        )),
        json!({"changes": 7}),
        json!(null),
    ];
    for entry in entries {
        for at in 0..3 {
            let mut list = vec![good.clone(), good.clone()];
            list.insert(at, entry.clone());
            let body = json!({"object": "whatsapp_business_account", "entry": list});
            let events = events(signed(&body));
            let texts = events
                .iter()
                .filter(|it| matches!(it, Inbound::Text { .. }));
            assert_eq!(texts.count(), 2, "{entry}");
            assert!(
                events.contains(&Inbound::Ignored(Ignored::Malformed)),
                "{entry}"
            );
        }
    }
    let beside = events(signed(
        &json!({"object": "whatsapp_business_account", "entry": [
            odd(change(ours, json!([text, {"id": 7}, text]))),
        ]}),
    ));
    assert_eq!(beside.len(), 3);
    assert_eq!(beside[1], Inbound::Ignored(Ignored::Malformed));
}

#[test]
fn statuses_and_other_objects_are_ignored() {
    let not_a_text = [Inbound::Ignored(Ignored::NotAText)];
    let status = change(&json!({
        "metadata": {"display_phone_number": "12025550199"},
        "statuses": [{"id": "a", "status": "read"}],
    }));
    assert_eq!(events(status), not_a_text);
    for body in [
        json!({"object": "page", "entry": [{"changes": [{"field": "messages", "value": {}}]}]}),
        json!({"object": "whatsapp_business_account",
            "entry": [{"changes": [{"field": "account_update", "value": {}}]}]}),
    ] {
        assert_eq!(events(signed(&body)), not_a_text);
    }
    let none = signed(&json!({"object": "page", "entry": [{"id": "1", "time": 2}]}));
    assert_eq!(events(none), []);
}

#[test]
fn signature_has_its_prefix() {
    let name = HeaderName::from_static(SIGNATURE_HEADER);
    for bad in ["", "sha256=", "sha1=00", "00", "sha256=zz"] {
        let taken = post(&whatsapp(), &[(name.clone(), bad.to_owned())], b"{}", NOW);
        assert_eq!(taken, Err(InboundError::NotAuthentic));
    }
}
