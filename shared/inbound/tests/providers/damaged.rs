//! Texts or calls with half an emoji or invalid UTF-8, beside the code or elsewhere.

use countersign_domain::confirmation::text::InboundMessage;
use countersign_inbound::vonage_sms::VonageSms;
use countersign_inbound::{HashAlgorithm, InboundError, SignedCall};
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::cases::{Case, NOW, Signs, all, events, only, post, secret, take, text};
use crate::seal::{seal, seal_message};

const CODE: &str = "CS-7Q2M0XK4V9T1BHNE";

/// Placeholder for the corruption. A provider's module writes it unchanged.
const MARK: &str = "\u{fffd}";

/// Corruption that phones and providers put into JSON in place of a character, and how it is read.
const IN_JSON: [(&[u8], &str); 9] = [
    (br"\ud83d", "\u{fffd}"),
    (br"\uDE00", "\u{fffd}"),
    (br"\ud83d\ud83d", "\u{fffd}\u{fffd}"),
    (br"\ude00\ud83d", "\u{fffd}\u{fffd}"),
    (b"\xff", "\u{fffd}"),
    (b"caf\xe9", "caf\u{fffd}"),
    (b"\xf0\x9f\x98", "\u{fffd}"),
    (b"\xed\xa0\xbd", "\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xc0\x80", "\u{fffd}\u{fffd}"),
];

/// The same for forms.
const IN_FORMS: [(&str, &str); 6] = [
    ("%FF", "\u{fffd}"),
    ("caf%E9", "caf\u{fffd}"),
    ("%F0%9F%98", "\u{fffd}"),
    ("%ED%A0%BD", "\u{fffd}\u{fffd}\u{fffd}"),
    ("%C0%80", "\u{fffd}\u{fffd}"),
    ("%ED%A0%BD%FF", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
];

fn replace(body: &[u8], mark: &[u8], with: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::new();
    let mut rest = body;
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        replaced.extend([&rest[..at], with].concat());
        rest = &rest[at + mark.len()..];
    }
    assert!(!replaced.is_empty(), "the mark is in the body");
    [&replaced[..], rest].concat()
}

fn is_form(signed: &SignedCall) -> bool {
    let form = |(name, value): &(_, String)| *name == CONTENT_TYPE && value.contains("urlencoded");
    signed.headers.iter().any(form)
}

/// Returns every call of a case with a corrupt text, together with the text as it is read.
fn damaged(case: &Case, given: &InboundMessage) -> Vec<(SignedCall, String)> {
    let signed = (case.sign)(given, NOW);
    let read = |read: &str| given.text.replace(MARK, read);
    if is_form(&signed) {
        let one = |(damage, text): &(&str, &str)| {
            let body = replace(&signed.body, b"%EF%BF%BD", damage.as_bytes());
            (seal(case.label, &signed, &body), read(text))
        };
        return IN_FORMS.iter().map(one).collect();
    }
    let one = |(damage, text): &(&[u8], &str)| {
        let body = match case.label {
            // The document is a string in the body, and is signed in this form.
            "sns" => {
                let body: Value = serde_json::from_slice(&signed.body).unwrap();
                let document = body["Message"].as_str().unwrap().as_bytes();
                let document = replace(document, MARK.as_bytes(), damage);
                return std::str::from_utf8(&document)
                    .is_ok()
                    .then(|| (seal_message(&document), read(text)));
            }
            _ => replace(&signed.body, MARK.as_bytes(), damage),
        };
        // Vonage signs the decoded parameters, which contain U+FFFD.
        let signs_itself = case.label.starts_with("vonage ") && case.label != "vonage messages";
        if signs_itself {
            let same = *text == MARK;
            return same.then(|| {
                (
                    SignedCall {
                        body,
                        ..signed.clone()
                    },
                    read(text),
                )
            });
        }
        Some((seal(case.label, &signed, &body), read(text)))
    };
    IN_JSON.iter().filter_map(one).collect()
}

#[test]
fn damage_beside_the_code_is_replaced_and_the_text_counts() {
    let mut tried = 0;
    for case in all() {
        for channel in case.channels {
            for words in [
                format!("{CODE} {MARK}"),
                format!("{MARK}{CODE}"),
                format!("Hi {MARK} {CODE}\n-- \nZo\u{eb}"),
            ] {
                let given = InboundMessage {
                    text: words,
                    ..text(*channel)
                };
                for (call, read) in damaged(&case, &given) {
                    let message = only(take(&*case.provider, &call, NOW));
                    assert_eq!(message.text, read, "{}", case.label);
                    assert_eq!(message.message_id, given.message_id, "{}", case.label);
                    assert!(message.sender().is_ok(), "{}", case.label);
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(tried, 519);
}

#[test]
fn unsigned_damage_is_refused() {
    for case in all() {
        for channel in case.channels.iter().filter(|_| case.body != Signs::Nothing) {
            let given = InboundMessage {
                text: format!("{CODE} {MARK}"),
                ..text(*channel)
            };
            let signed = (case.sign)(
                &InboundMessage {
                    text: CODE.to_owned(),
                    ..given.clone()
                },
                NOW,
            );
            for (call, _) in damaged(&case, &given) {
                let forged = SignedCall {
                    body: call.body,
                    ..signed.clone()
                };
                // The signature of these providers is in the body.
                if case.label == "sns"
                    || case.label.starts_with("vonage ") && case.label != "vonage messages"
                {
                    continue;
                }
                let taken = take(&*case.provider, &forged, NOW);
                assert_eq!(taken, Err(InboundError::NotAuthentic), "{}", case.label);
            }
        }
    }
}

/// Corruption in an unused member loses no text, wherever it is.
#[test]
fn damage_elsewhere_in_the_body_loses_no_text() {
    let mut tried = 0;
    for case in all() {
        for channel in case.channels {
            let signed = (case.sign)(&text(*channel), NOW);
            if is_form(&signed) {
                let body = [&signed.body[..], b"&ProfileName=%ED%A0%BD&Caf%E9=1"].concat();
                let call = seal(case.label, &signed, &body);
                assert_eq!(
                    only(take(&*case.provider, &call, NOW)).text,
                    text(*channel).text
                );
                tried += 1;
                continue;
            }
            if [
                "sns",
                "vonage md5",
                "vonage sha1",
                "vonage sha256",
                "vonage sha512",
            ]
            .contains(&case.label)
            {
                continue;
            }
            for damage in [br"\ud83d".as_slice(), b"\xff"] {
                let member = [b"{\"profile\":\"", damage, b"\",\"", damage, b"\":0,"].concat();
                for (at, _) in signed
                    .body
                    .iter()
                    .enumerate()
                    .filter(|(_, byte)| **byte == b'{')
                {
                    let body = [&signed.body[..at], &member, &signed.body[at + 1..]].concat();
                    let call = seal(case.label, &signed, &body);
                    let message = only(take(&*case.provider, &call, NOW));
                    assert_eq!(message.text, text(*channel).text, "{} at {at}", case.label);
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(tried, 74);
}

/// Vonage may have signed the bytes, or the text as its own libraries read it.
#[test]
fn form_of_vonage_counts_in_both_spellings() {
    let now = NOW.as_secs().to_string();
    let vonage = VonageSms::new(secret("first-secret"), HashAlgorithm::Sha256);
    let read = |signed: &[u8]| {
        let parts = [
            b"&messageId=m1&msisdn=12025550100&text=CS-0 ",
            signed,
            b"&timestamp=",
            now.as_bytes(),
            b"&to=12025550199",
        ];
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"first-secret").unwrap();
        for part in parts {
            mac.update(part);
        }
        let sig = base16ct::lower::encode_string(&mac.finalize().into_bytes());
        let body = format!(
            "messageId=m1&msisdn=12025550100&text=CS-0+%ED%A0%BD&timestamp={now}&to=12025550199&sig={sig}"
        );
        let form = (CONTENT_TYPE, "application/x-www-form-urlencoded".to_owned());
        post(&vonage, &[form], body.as_bytes(), NOW)
    };
    for signed in [
        b"\xed\xa0\xbd".as_slice(),
        "\u{fffd}\u{fffd}\u{fffd}".as_bytes(),
    ] {
        assert_eq!(only(read(signed)).text, "CS-0 \u{fffd}\u{fffd}\u{fffd}");
    }
    assert_eq!(read(b"?").map(|_| ()), Err(InboundError::NotAuthentic));
}

/// The same for Twilio, whose libraries replace invalid bytes before they sign.
#[test]
fn form_of_twilio_counts_in_both_spellings() {
    for case in all().iter().filter(|case| case.label.starts_with("twilio")) {
        let given = InboundMessage {
            text: format!("{CODE} {MARK}"),
            ..text(case.channels[0])
        };
        let signed = (case.sign)(&given, NOW);
        let body = replace(&signed.body, b"%EF%BF%BD", b"%FF");
        // Signed with U+FFFD, but sent with the original byte.
        let call = SignedCall {
            body: body.clone(),
            ..signed.clone()
        };
        let first = take(&*case.provider, &call, NOW).unwrap();
        let sealed = take(&*case.provider, &seal(case.label, &signed, &body), NOW).unwrap();
        assert_eq!(first.content, sealed.content);
        // A different byte under the same signature is the same call to us.
        let other = SignedCall {
            body: replace(&signed.body, b"%EF%BF%BD", b"%FE"),
            ..signed
        };
        assert_eq!(take(&*case.provider, &other, NOW).unwrap(), first);
    }
}

#[test]
fn odd_body_in_a_batch_loses_no_other() {
    let case = all()
        .into_iter()
        .find(|case| case.label == "bandwidth")
        .unwrap();
    let headers = (case.sign)(&text(case.channels[0]), NOW).headers;
    let one = |text: &str| {
        json!({"type": "message-received", "message": {"id": text, "from": "+12025550100",
            "to": ["+12025550199"], "text": text}})
    };
    let body = json!([one("a"), one(MARK), one("b"), one("\u{e000}")]).to_string();
    let body = replace(body.as_bytes(), MARK.as_bytes(), br"\ud83d");
    let body = replace(&body, "\u{e000}".as_bytes(), b"\xff");
    assert_eq!(events(post(&*case.provider, &headers, &body, NOW)).len(), 4);
}
