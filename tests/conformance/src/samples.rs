//! Sessions, texts, attempts and apps to try stores with.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a sample that does not parse is a mistake in this file"
)]

pub mod logins;

use std::num::NonZeroU32;
use std::time::Duration;

use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord};
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::login::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, LoginSettings, PayloadEncryption,
    RiskPolicy,
};
use countersign_domain::app::quota::{AppQuotas, QuotaSettings};
use countersign_domain::app::senders::{Recipient, SenderPool};
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::app::{App, AppKey};
use countersign_domain::confirmation::transitions::TextEvidence;
use countersign_domain::confirmation::{
    Confirmation, Flow, Redactable, State, TextFingerprint, Verified,
};
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    Attempt, AttemptResult, Delivery, HORIZON, KeptSignature, Progress, SWEEP_LEASE,
    SettledAttempt, Settlement,
};
use countersign_domain::primitives::canonical_json::{CanonicalObject, Limits};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::{Country, PhoneNumber};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;

/// When the samples were made.
pub const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
/// How long they are kept past the retry horizon.
pub const RETENTION: Duration = Duration::from_hours(7 * 24);
/// The number that sends.
pub const PHONE: &str = "+12025550100";
/// Another number.
pub const OTHER_PHONE: &str = "+442079460018";

/// The least difference between two instants.
pub const MILLI: Duration = Duration::from_millis(1);

/// The instant that much earlier.
#[must_use]
pub fn before(at: Timestamp, by: Duration) -> Timestamp {
    let by = u64::try_from(by.as_millis()).expect("a short time");
    Timestamp::from_millis(at.as_millis() - by)
}

/// An id.
#[must_use]
pub const fn id(n: u8) -> ConfirmationId {
    ConfirmationId::from_bytes([n; 16])
}

/// An app's name.
#[must_use]
pub fn app_id(name: &str) -> AppId {
    name.parse::<AppId>().expect("a name")
}

/// A phone number.
#[must_use]
pub fn phone(text: &str) -> PhoneNumber {
    PhoneNumber::parse_e164(text).expect("a number")
}

/// Metadata.
#[must_use]
pub fn metadata(json: &str) -> CanonicalObject {
    CanonicalObject::parse(json, Limits::METADATA).expect("metadata")
}

/// A new session that takes any number, of the app `demo`, made at [`NOW`].
#[must_use]
pub fn acquisition(n: u8) -> Confirmation {
    let expires_at = NOW.plus(Duration::from_mins(5));
    Confirmation {
        id: id(n),
        app: app_id("demo"),
        flow: Flow::Acquisition,
        callback: CallbackUrl::from_stored("https://example.com/hook?a=b").expect("a URL"),
        metadata: Redactable::Present(metadata(r#"{"order":"17"}"#)),
        send_to: "+12025550199".parse::<Recipient>().expect("a number"),
        created_at: NOW,
        expires_at,
        idempotency: None,
        state: State::Open,
        redacted_at: None,
        purge_at: NOW.plus(Duration::from_hours(24)),
    }
}

/// A new session that takes [`PHONE`] alone.
#[must_use]
pub fn confirmation(n: u8) -> Confirmation {
    Confirmation {
        flow: Flow::Confirmation {
            expected: Redactable::Present(phone(PHONE)),
        },
        ..acquisition(n)
    }
}

/// A text from [`PHONE`].
#[must_use]
pub fn text(message: u32) -> TextEvidence {
    text_from(message, PHONE)
}

/// A text.
#[must_use]
pub fn text_from(message: u32, from: &str) -> TextEvidence {
    TextEvidence {
        from: phone(from),
        carrier: "Example Mobile".to_owned(),
        text: TextFingerprint::of("generic", &message.to_string()),
    }
}

/// What becomes of an open session that this text completes at that instant.
#[must_use]
pub fn verified(open: &Confirmation, text: &TextEvidence, at: Timestamp) -> Confirmation {
    Confirmation {
        state: State::Verified(Box::new(Verified {
            phone_number: Redactable::Present(text.from.clone()),
            carrier: text.carrier.clone(),
            at,
            text: text.text,
            delivery: Delivery {
                attempts_claimed: 0,
                round_began_at: 0,
                attempts: Vec::new(),
                signature: None,
                progress: Progress::Pending {
                    next_attempt_at: at,
                    due_at: at.plus(SWEEP_LEASE),
                    claimed_at: None,
                },
            },
        })),
        purge_at: open.purge_at.max(at.plus(HORIZON).plus(RETENTION)),
        ..open.clone()
    }
}

/// The same session with its delivery changed.
#[must_use]
pub fn with_delivery(item: &Confirmation, change: impl FnOnce(&mut Delivery)) -> Confirmation {
    let mut item = item.clone();
    if let State::Verified(verified) = &mut item.state {
        change(&mut verified.delivery);
    }
    item
}

/// An attempt that began at [`NOW`] and was answered.
#[must_use]
pub fn attempt(number: u32, status: u16) -> Attempt {
    Attempt {
        number,
        at: NOW,
        duration: Duration::from_millis(42),
        result: AttemptResult::Answered(status),
    }
}

/// A signature that was kept.
#[must_use]
pub fn signature(n: u8) -> KeptSignature {
    KeptSignature {
        body_hash: [n; 32],
        key_id: KeyId::from_stored(format!("key-{n}")),
        der: vec![0x30, 6, 2, 1, n & 0x7f, 2, 1, 1],
    }
}

/// How an attempt ended.
#[must_use]
pub fn settled(number: u32, status: u16, settlement: Settlement) -> SettledAttempt {
    SettledAttempt {
        attempt: attempt(number, status),
        signature: Some(signature(1)),
        settlement,
    }
}

/// An app with nothing but what every app has.
#[must_use]
pub fn app(name: &str) -> App {
    let number = "+12025550199".parse::<Recipient>().expect("a number");
    App {
        id: app_id(name),
        app_key: "cs_app_0000000000000000000001"
            .parse::<AppKey>()
            .expect("an app key"),
        created_at: NOW,
        default_callback: None,
        callback_origins: Vec::new(),
        template: MessageTemplate::default(),
        prefix: CodePrefix::default(),
        senders: SenderPool::new([(None, number)]).expect("a pool"),
        login: LoginSettings::default(),
        quotas: AppQuotas::default(),
    }
}

/// Settings for logins with all that there can be.
#[must_use]
pub fn login() -> LoginSettings {
    let fingerprint = vec!["0A"; 32].join(":");
    LoginSettings {
        link_host: "login.shop.example".parse::<LinkHost>().ok(),
        origins: ["https://shop.example", "http://localhost:3000"]
            .map(|origin| origin.parse::<WebOrigin>().expect("an origin"))
            .into(),
        android: vec![AndroidApp {
            package: "com.example.shop"
                .parse::<AndroidPackage>()
                .expect("a package"),
            fingerprints: vec![
                fingerprint
                    .parse::<CertificateFingerprint>()
                    .expect("a fingerprint"),
            ],
        }],
        ios: vec![
            "ABCDE12345.com.example.shop"
                .parse::<IosAppId>()
                .expect("an id"),
        ],
        risk: RiskPolicy {
            denials_forbid: true,
        },
        payload_encryption: PayloadEncryption::Optional,
        callback: CallbackUrl::from_stored("https://shop.example/logins").ok(),
    }
}

/// Quotas of which some are set.
#[must_use]
pub fn quotas() -> AppQuotas {
    AppQuotas {
        confirmations: QuotaSettings {
            per_minute: NonZeroU32::new(90),
            burst: NonZeroU32::new(7),
            max_open: NonZeroU32::new(u32::MAX),
        },
        logins: QuotaSettings {
            max_open: NonZeroU32::new(5),
            ..QuotaSettings::default()
        },
    }
}

/// A pool of numbers, each for a country or for everybody.
#[must_use]
pub fn senders(numbers: &[(Option<&str>, &str)]) -> SenderPool {
    let numbers = numbers.iter().map(|(country, number)| {
        let country = country.map(|country| country.parse::<Country>().expect("a country"));
        (country, number.parse::<Recipient>().expect("a number"))
    });
    SenderPool::new(numbers).expect("a pool")
}

/// An active key that was issued `n` seconds after [`NOW`]. Hashes are in no order of time.
#[must_use]
pub fn key(n: u8) -> ApiKeyRecord {
    let mut hash = [n; 32];
    hash[0] = n.wrapping_mul(151);
    ApiKeyRecord {
        hash: ApiKeyHash::from_bytes(hash),
        issued_at: NOW.plus(Duration::from_secs(n.into())),
        revoked_at: None,
    }
}
