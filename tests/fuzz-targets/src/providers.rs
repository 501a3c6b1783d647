//! Webhook calls of SMS providers.
//!
//! Each input is a call; see [`Incoming`]. The call is read unchanged, then with authentication
//! that the provider itself could have added. Finally, its body is sent as a text.

mod forms;
mod json;
mod sns;

use countersign_domain::confirmation::text::{Channel, InboundMessage};
use countersign_domain::primitives::time::Timestamp;
use countersign_inbound::{
    Content, Inbound, InboundError, InboundProvider, MAX_EVENTS, PublicUrl, Reading, SharedSecret,
    read,
};
use futures_util::FutureExt as _;
use http::Method;

use crate::bits::flipped;
use crate::call::Incoming;

pub(crate) use forms::{plivo, twilio, vonage_sms};
pub(crate) use json::{
    bandwidth, generic, infobip, sinch, sinch_conversation, sms_gate, telnyx, vonage_messages,
    whatsapp,
};
pub(crate) use sns::{OneCertificate, certificate, end_user_messaging, sns};

/// A day on which the SNS certificate is valid.
const NOW: Timestamp = Timestamp::from_millis(1_795_500_000_000);
const SECRET: &str = "first-secret";
const NONCE: &str = "n0nce";
const FORM: &str = "application/x-www-form-urlencoded";

/// The part of a call that a provider signs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signs {
    /// Every byte of the body.
    Bytes,
    /// The meaning of the body's parameters.
    Meaning,
    Nothing,
}

/// A provider with one of its possible settings.
struct Setting<P> {
    provider: P,
    signs: Signs,
    /// Adds the provider's authentication to a call; `None` if the provider could not send such a
    /// call.
    prove: fn(Incoming) -> Option<Incoming>,
    channels: &'static [Channel],
}

fn secret() -> SharedSecret {
    SECRET.parse().expect("a secret")
}

fn url() -> PublicUrl {
    let url = "https://text.example.com:8443/base".parse();
    url.expect("a public URL")
}

fn take(provider: &dyn InboundProvider, incoming: &Incoming) -> Result<Reading, InboundError> {
    let reading = read(provider, incoming.call(), NOW).now_or_never();
    let reading = reading.expect("nothing is waited for");
    if let Ok(reading) = &reading {
        is_bounded(reading, incoming);
    }
    reading
}

fn is_authentic(taken: &Result<Reading, InboundError>) -> bool {
    matches!(taken, Ok(_) | Err(InboundError::Malformed(_)))
}

impl<P: InboundProvider> Setting<P> {
    fn check(&self, input: &[u8]) {
        let provider = &self.provider;
        let incoming = Incoming::read(input);
        let as_it_is = take(provider, &incoming);
        if incoming.body.len() > provider.max_body() {
            assert!(!is_authentic(&as_it_is));
            return;
        }
        if let Some(proven) = (self.prove)(incoming.clone()) {
            self.holds(&proven, input);
        }
        if let Ok(text) = std::str::from_utf8(&incoming.body) {
            for channel in self.channels {
                self.brings(text, *channel);
            }
        }
    }

    /// An authenticated call is authentic, and after a bit flip only if its meaning is still the
    /// same.
    fn holds(&self, proven: &Incoming, input: &[u8]) {
        let before = take(&self.provider, proven);
        assert!(is_authentic(&before), "{before:?} {proven:?}");
        let Some(body) = flipped(&proven.body, input) else {
            return;
        };
        // For GET, the parameters are not in the body.
        if proven.method == Method::GET {
            return;
        }
        let mut changed = proven.clone();
        changed.body = body;
        let after = take(&self.provider, &changed);
        match self.signs {
            Signs::Bytes => assert!(!is_authentic(&after), "{changed:?}"),
            Signs::Meaning => {
                let same = after == before || matches!((&after, &before), (Err(_), Err(_)));
                assert!(!is_authentic(&after) || same, "{changed:?}");
            }
            Signs::Nothing => {}
        }
    }

    /// A text that the provider sends arrives unchanged.
    fn brings(&self, text: &str, channel: Channel) {
        let given = InboundMessage {
            provider: "",
            channel,
            message_id: "SM00112233445566778899aabbccddeeff".to_owned(),
            from: "+12025550100".to_owned(),
            to: "+12025550199".to_owned(),
            text: text.to_owned(),
            carrier: None,
        };
        let Some(signed) = self.provider.sign(&given, NOW, NONCE) else {
            return;
        };
        let incoming = Incoming {
            method: Method::POST,
            query: None,
            headers: signed
                .headers
                .into_iter()
                .map(|(name, value)| (name, value.parse().expect("a header's value")))
                .collect(),
            body: signed.body,
        };
        if incoming.body.len() > self.provider.max_body() {
            return;
        }
        let taken = take(&self.provider, &incoming).expect("our own call is taken");
        match taken.content {
            Content::Events(events) => match &events[..] {
                [Inbound::Text { message, .. }] => {
                    assert_eq!(message.text, text);
                    let bare = |number: &str| number.trim_start_matches('+').to_owned();
                    assert_eq!(bare(&message.from), bare(&given.from));
                    assert_eq!(message.message_id, given.message_id);
                    assert_eq!(message.channel, channel);
                }
                other => panic!("one text, not {other:?}"),
            },
            other => panic!("one text, not {other:?}"),
        }
    }
}

/// The content of a call is not larger than the call itself, except for parts that several
/// recipients share.
fn is_bounded(reading: &Reading, incoming: &Incoming) {
    // A number may gain a leading `+`.
    let size = incoming.size() + 1;
    match &reading.content {
        Content::Events(events) => {
            assert!(events.len() <= MAX_EVENTS);
            let mut sum = 0;
            for event in events {
                let message = match event {
                    Inbound::Text { message, .. } => message,
                    Inbound::Part(part) => {
                        assert!(part.total >= 2 && (1..=part.total).contains(&part.number));
                        &part.message
                    }
                    Inbound::Ignored(_) => continue,
                };
                let InboundMessage {
                    from,
                    to,
                    text,
                    message_id,
                    ..
                } = message;
                for field in [from, to, text, message_id] {
                    assert!(field.len() <= size, "{message:?}");
                }
                sum += text.len();
            }
            assert!(sum <= 16 * size, "{sum} bytes of {size}");
        }
        Content::Handshake(answer) => {
            assert_eq!(incoming.method, Method::GET);
            assert_eq!(answer.status, 200);
            let harmless = |c: u8| c.is_ascii_alphanumeric() || b"-_.".contains(&c);
            assert!(answer.body.bytes().all(harmless), "{}", answer.body);
        }
        Content::Subscription(url) => {
            let own = "https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&";
            assert!(url.as_str().starts_with(own), "{}", url.as_str());
        }
    }
}
