//! Twilio: addresses, keys and parameters.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_domain::confirmation::text::Channel;
use countersign_inbound::twilio::{SIGNATURE_HEADER, Twilio, TwilioKey};
use countersign_inbound::{
    Call, Ignored, Inbound, InboundError, InboundProvider as _, MalformedText, Outcome, Reading,
    SharedSecret, read,
};
use futures_util::FutureExt as _;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderMap, HeaderName, Method};
use sha1::Sha1;

use crate::cases::{NOW, events, headers, only, secret};

const TOKEN: &str = "12345678901234567890";
const BODY: &str =
    "From=%2B12025550100&To=%2B12025550199&Body=CS-0&MessageSid=SM1&New=x&Empty=&A=2&A=1";

/// Signatures of `BODY` by Twilio's library for Python, 9.13.0.
const PLAIN: &str = "wFq0l6DDFIjRIvqNFsonrXkkwRI=";
const WITH_PORT: &str = "tv7rwkmnQ3e2TuxE3ElapvieExE=";
const WITH_QUERY: &str = "CFXcbiV/mNbPJdV94fCrzdFWkkI=";
const WITH_SHA256: &str = "eGP89a3NczeeF0TA1vcZSMG2vcq+U9ZkgGe/6bjNwzc=";

fn signed(signature: &str) -> HeaderMap {
    let form = "application/x-www-form-urlencoded; charset=utf-8".to_owned();
    headers(&[
        (http::header::CONTENT_TYPE, form),
        (
            HeaderName::from_static(SIGNATURE_HEADER),
            signature.to_owned(),
        ),
    ])
}

fn call(
    public: &str,
    query: Option<&str>,
    key: fn(SharedSecret) -> TwilioKey,
    headers: &HeaderMap,
    body: &str,
) -> Result<Reading, InboundError> {
    let twilio = Twilio::new(&public.parse().unwrap(), key(secret(TOKEN)));
    let call = Call {
        method: &Method::POST,
        query,
        headers,
        body: body.as_bytes(),
    };
    read(&twilio, call, NOW).now_or_never().unwrap()
}

#[test]
fn address_counts_with_and_without_its_port_and_with_its_query() {
    let key = TwilioKey::AuthToken;
    for public in ["https://a.example", "https://a.example:443"] {
        assert!(call(public, None, key, &signed(PLAIN), BODY).is_ok());
        assert!(call(public, None, key, &signed(WITH_PORT), BODY).is_ok());
        let query = Some("a=b%20c&d");
        assert!(call(public, query, key, &signed(WITH_QUERY), BODY).is_ok());
    }
    let refused = Err(InboundError::NotAuthentic);
    for (public, asked, signature) in [
        ("https://a.example:8443", None, WITH_PORT),
        ("http://a.example", None, PLAIN),
        ("https://b.example", None, PLAIN),
        ("https://a.example/x", None, PLAIN),
        ("https://a.example", Some("a=b%20c&d"), PLAIN),
        ("https://a.example", None, WITH_QUERY),
        ("https://a.example", Some("a=b+c&d"), WITH_QUERY),
    ] {
        let taken = call(public, asked, key, &signed(signature), BODY);
        assert_eq!(taken, refused, "{public} {asked:?}");
    }
}

#[test]
fn call_cannot_choose_another_hash_than_its_key_has() {
    for settings in [
        None,
        Some("key=k,algorithm=HMAC_SHA1"),
        Some("algorithm=HMAC_SHA256"),
    ] {
        for (key, fits, does_not) in [
            (
                TwilioKey::SharedKey as fn(SharedSecret) -> TwilioKey,
                WITH_SHA256,
                PLAIN,
            ),
            (TwilioKey::AuthToken, PLAIN, WITH_SHA256),
        ] {
            let take = |signature| {
                let mut headers = signed(signature);
                if let Some(settings) = settings {
                    let name = "x-twilio-webhooks-signature-settings";
                    headers.insert(name, settings.parse().unwrap());
                }
                call("https://a.example", None, key, &headers, BODY).is_ok()
            };
            assert!(take(fits) && !take(does_not), "{settings:?}");
        }
    }
}

/// Signs parameters in which only `:` needs encoding, sorted by name.
fn take_form(pairs: &[(&str, &str)]) -> Result<Reading, InboundError> {
    let mut mac = Hmac::<Sha1>::new_from_slice(TOKEN.as_bytes()).unwrap();
    mac.update(b"https://a.example/inbound-sms/twilio");
    let mut form = Vec::new();
    for (name, value) in pairs {
        mac.update(name.as_bytes());
        mac.update(value.as_bytes());
        form.push(format!("{name}={}", value.replace('+', "%2B")));
    }
    let signature = BASE64_STANDARD.encode(mac.finalize().into_bytes());
    let key = TwilioKey::AuthToken;
    let body = form.join("&");
    call("https://a.example", None, key, &signed(&signature), &body)
}

/// The signed characters of a call can be split into other parameters, and each split has a valid
/// signature.
#[test]
fn signature_is_good_for_one_content() {
    let rest = [
        ("FromCity", ""),
        ("MessageSid", "SM1"),
        ("To", "+12025550199"),
    ];
    let once = |first: &[(&str, &str)]| {
        let reading = take_form(&[first, &rest].concat()).unwrap();
        reading.single_use.unwrap()
    };
    let sent = once(&[
        ("Body", "CODEFrom+12025550166FromCity"),
        ("From", "+12025550100"),
    ]);
    assert_eq!(sent.retention, std::time::Duration::from_hours(24));
    let again = once(&[
        ("Body", "CODEFrom+12025550166FromCity"),
        ("From", "+12025550100"),
    ]);
    assert_eq!(again, sent);
    for cut in [
        &[
            ("Body", "CODE"),
            ("From", "+12025550166FromCityFrom+12025550100"),
        ][..],
        &[
            ("Body", "CODE"),
            ("From", "+12025550166"),
            ("FromCit", "yFrom+12025550100"),
        ],
        &[
            ("BodyCODE", "From+12025550166FromCity"),
            ("From", "+12025550100"),
        ],
    ] {
        let forged = once(cut);
        assert_eq!(forged.nonce, sent.nonce, "{cut:?}");
        assert_ne!(forged.content, sent.content, "{cut:?}");
    }
    let other = once(&[("Body", "CODE"), ("From", "+12025550100")]);
    assert_ne!(other.nonce, sent.nonce);
}

#[test]
fn text_on_whatsapp_is_told_by_both_numbers() {
    let on_whatsapp = take_form(&[
        ("Body", "CS-0"),
        ("From", "whatsapp:+12025550100"),
        ("MessageSid", "SM1"),
        ("To", "whatsapp:+12025550199"),
    ]);
    let message = only(on_whatsapp);
    assert_eq!(message.channel, Channel::WhatsApp);
    assert_eq!(message.from, "+12025550100");
    assert_eq!(message.to, "+12025550199");
}

#[test]
fn sender_of_another_channel_stays_no_phone_number() {
    for from in [
        "rcs:+12025550100",
        "messenger:12025550100",
        "whatsapp:+12025550100",
    ] {
        let message = only(take_form(&[
            ("Body", "CS-0"),
            ("From", from),
            ("MessageSid", "SM1"),
            ("To", "+12025550199"),
        ]));
        assert_eq!(message.channel, Channel::Other, "{from}");
        assert!(message.sender().is_err());
    }
}

#[test]
fn status_callback_is_ignored_and_a_text_needs_no_sender() {
    let status = take_form(&[("MessageSid", "SM1"), ("MessageStatus", "delivered")]);
    assert_eq!(events(status), [Inbound::Ignored(Ignored::NotAText)]);
    let half = take_form(&[
        ("Body", "CS-0"),
        ("MessageSid", "SM1"),
        ("To", "+12025550199"),
    ]);
    assert_eq!(only(half).from, "");
    let twice = take_form(&[
        ("Body", "a"),
        ("Body", "b"),
        ("From", "+12025550100"),
        ("MessageSid", "SM1"),
        ("To", "+12025550199"),
    ]);
    let repeated = MalformedText::Repeated("Body");
    assert_eq!(twice, Err(InboundError::Malformed(repeated)));
}

#[test]
fn answer_is_empty_twiml() {
    let url = "https://a.example".parse().unwrap();
    let answer = Twilio::new(&url, TwilioKey::AuthToken(secret(TOKEN))).answer(Outcome::Taken);
    assert_eq!(answer.content_type, Some("text/xml; charset=utf-8"));
    assert!(answer.body.ends_with("<Response/>"));
}
