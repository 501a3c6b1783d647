//! Sample confirmations, texts, attempts, apps and API keys.
#![allow(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "an invalid sample is a bug in this file"
)]

pub mod association_keys;
pub mod confirmations;
pub mod documents;
pub mod logins;
pub mod openid;
pub mod phone_registrations;

use std::num::NonZeroU32;
use std::sync::LazyLock;
use std::time::Duration;

use countersign_domain::app::api_key::{ApiKeyHash, ApiKeyRecord, KeyMode};
use countersign_domain::app::client_secret::{ClientSecretHash, ClientSecretRecord};
use countersign_domain::app::login::{
    AndroidApp, AndroidPackage, CertificateFingerprint, IosAppId, LoginSettings, LoginsFrom,
    PayloadEncryption, RiskPolicy, WebPhoneKey,
};
use countersign_domain::app::openid::{OpenIdSettings, SignInMethod};
use countersign_domain::app::quota::{AppQuotas, QuotaSettings};
use countersign_domain::app::refused_types::{RefusableType, RefusedTypes};
use countersign_domain::app::senders::{Recipient, SenderPool};
use countersign_domain::app::whatsapp::WhatsAppNumber;
use countersign_domain::app::{App, AppKey};
use countersign_domain::confirmation::carrier::{Carrier, CarrierName};
use countersign_domain::confirmation::miss::{LastMiss, MissReason};
use countersign_domain::confirmation::transitions::{InboundRoute, TextEvidence};
use countersign_domain::confirmation::{
    Confirmation, Flow, Redactable, State, TextChannel, TextFingerprint, TextOrigin, Verified,
};
use countersign_domain::delivery::master_secret::MasterSecrets;
use countersign_domain::delivery::signing::KeyId;
use countersign_domain::delivery::{
    Attempt, AttemptResult, Delivery, KeptSignature, MAX_RETRY_WINDOW, SettledAttempt, Settlement,
};
use countersign_domain::primitives::canonical_json::{CanonicalObject, Limits};
use countersign_domain::primitives::ids::{AppId, ConfirmationId};
use countersign_domain::primitives::phone::{Country, PhoneNumber};
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;
use countersign_domain::web::return_url::ReturnUrl;

/// The time at which the samples were created.
pub const NOW: Timestamp = Timestamp::from_millis(1_767_323_045_678);
/// The time for which verified confirmations are kept after the retry horizon.
pub const RETENTION: Duration = Duration::from_hours(7 * 24);
/// The number that sample texts are sent from.
pub const PHONE: &str = "+12025550100";
/// A number other than [`PHONE`].
pub const OTHER_PHONE: &str = "+442079460018";

/// One of our WhatsApp numbers.
pub const WHATSAPP: &str = "+12025550177";

/// The secret from which the webhook secrets of apps derive.
pub static MASTER_SECRET: LazyLock<MasterSecrets> =
    LazyLock::new(|| "m".repeat(32).parse().expect("valid master secret"));

/// The resolution of a [`Timestamp`].
pub const MILLI: Duration = Duration::from_millis(1);

/// Returns the time `by` earlier than `at`.
#[must_use]
pub fn before(at: Timestamp, by: Duration) -> Timestamp {
    let by = u64::try_from(by.as_millis()).expect("valid milliseconds");
    Timestamp::from_millis(at.as_millis() - by)
}

/// Returns the `n`th confirmation id.
#[must_use]
pub const fn id(n: u8) -> ConfirmationId {
    ConfirmationId::from_bytes([n; 16])
}

/// Parses the id of an app.
#[must_use]
pub fn app_id(name: &str) -> AppId {
    name.parse::<AppId>().expect("valid app id")
}

/// Parses a phone number in E.164 format.
#[must_use]
pub fn phone(text: &str) -> PhoneNumber {
    PhoneNumber::parse_e164(text).expect("valid phone number")
}

/// Parses metadata.
#[must_use]
pub fn metadata(json: &str) -> CanonicalObject {
    CanonicalObject::parse(json, Limits::METADATA).expect("valid metadata")
}

/// Returns an open acquisition of the app `demo`, created at [`NOW`].
#[must_use]
pub fn acquisition(n: u8) -> Confirmation {
    let expires_at = NOW.plus(Duration::from_mins(5));
    Confirmation {
        id: id(n),
        app: app_id("demo"),
        flow: Flow::Acquisition,
        callback: CallbackUrl::from_stored("https://example.com/hook?a=b").ok(),
        metadata: Redactable::Present(metadata(r#"{"order":"17"}"#)),
        send_to: "+12025550199"
            .parse::<Recipient>()
            .expect("valid recipient"),
        whatsapp: None,
        created_at: NOW,
        expires_at,
        idempotency: None,
        state: State::Open { last_miss: None },
        test: false,
        refused_types: RefusedTypes::default(),
        webhook_details: false,
        client: None,
        openid: None,
        redacted_at: None,
        purge_at: NOW.plus(Duration::from_hours(24)),
    }
}

/// Returns the number types that an app refuses.
#[must_use]
pub fn refused_types() -> RefusedTypes {
    let refused = ["toll_free", "voip"].map(|it| it.parse::<RefusableType>().expect("valid type"));
    RefusedTypes::from_iter(refused)
}

/// Returns an open confirmation that expects a text from [`PHONE`], otherwise like [`acquisition`].
#[must_use]
pub fn confirmation(n: u8) -> Confirmation {
    Confirmation {
        flow: Flow::Confirmation {
            expected: Redactable::Present(phone(PHONE)),
        },
        ..acquisition(n)
    }
}

/// Returns the confirmation as if its app used the number [`WHATSAPP`].
#[must_use]
pub fn on_whatsapp(item: Confirmation) -> Confirmation {
    Confirmation {
        whatsapp: Some(whatsapp(WHATSAPP)),
        ..item
    }
}

/// Parses a WhatsApp number.
#[must_use]
pub fn whatsapp(text: &str) -> WhatsAppNumber {
    text.parse::<WhatsAppNumber>()
        .expect("valid number on WhatsApp")
}

/// Returns an open or expired confirmation with a miss.
#[must_use]
pub fn missed(item: &Confirmation, reason: MissReason, at: Timestamp) -> Confirmation {
    Confirmation {
        state: State::Open {
            last_miss: Some(LastMiss::new(reason, at)),
        },
        ..item.clone()
    }
}

/// Returns a text from [`PHONE`]. Texts with different `message` have different fingerprints.
#[must_use]
pub fn text(message: u32) -> TextEvidence {
    text_from(message, PHONE)
}

/// Returns a text from any number.
#[must_use]
pub fn text_from(message: u32, from: &str) -> TextEvidence {
    TextEvidence {
        from: phone(from),
        route: InboundRoute::Sms,
        carrier: CarrierName::from_text("Example Mobile"),
        text: TextFingerprint::new("generic", &message.to_string()),
        provider: "generic".to_owned(),
    }
}

/// Returns a text that was sent to our WhatsApp number.
#[must_use]
pub fn text_on_whatsapp(message: u32, from: &str, to: &str) -> TextEvidence {
    TextEvidence {
        route: InboundRoute::WhatsApp(whatsapp(to)),
        carrier: CarrierName::default(),
        ..text_from(message, from)
    }
}

/// Returns the open confirmation after this text has verified it.
#[must_use]
pub fn verified(open: &Confirmation, text: &TextEvidence, at: Timestamp) -> Confirmation {
    Confirmation {
        state: State::Verified(Box::new(Verified {
            phone_number: Redactable::Present(text.from.clone()),
            carrier: Carrier::reported(text.carrier.clone()),
            at,
            text: text.text,
            origin: Some(TextOrigin {
                channel: match text.route {
                    InboundRoute::Sms => TextChannel::Sms,
                    InboundRoute::Modem => TextChannel::Modem,
                    InboundRoute::WhatsApp(_) => TextChannel::WhatsApp,
                    InboundRoute::Simulated(_) => TextChannel::Simulated,
                },
                provider: text.provider.clone(),
            }),
            second_sender: None,
            delivery: open.callback.as_ref().map(|_| Delivery::pending(at)),
        })),
        purge_at: open.purge_at.max(at.plus(MAX_RETRY_WINDOW).plus(RETENTION)),
        ..open.clone()
    }
}

#[must_use]
pub fn with_delivery(item: &Confirmation, change: impl FnOnce(&mut Delivery)) -> Confirmation {
    let mut item = item.clone();
    if let State::Verified(verified) = &mut item.state {
        change(
            verified
                .delivery
                .get_or_insert_with(|| Delivery::pending(NOW)),
        );
    }
    item
}

/// Returns an attempt that began at [`NOW`] and was answered with this status.
#[must_use]
pub fn attempt(number: u32, status: u16) -> Attempt {
    Attempt {
        number,
        at: NOW,
        duration: Duration::from_millis(42),
        result: AttemptResult::Answered(status),
    }
}

/// Returns the `n`th signature.
#[must_use]
pub fn signature(n: u8) -> KeptSignature {
    KeptSignature {
        body_hash: [n; 32],
        key_id: KeyId::from_stored(format!("key-{n}")),
        der: vec![0x30, 6, 2, 1, n & 0x7f, 2, 1, 1],
    }
}

/// Returns an attempt that was answered with this status, and is settled in this way.
#[must_use]
pub fn settled(number: u32, status: u16, settlement: Settlement) -> SettledAttempt {
    SettledAttempt {
        attempt: attempt(number, status),
        signature: Some(signature(1)),
        refusal: None,
        settlement,
    }
}

/// Returns an app without optional settings.
#[must_use]
pub fn app(name: &str) -> App {
    let number = "+12025550199"
        .parse::<Recipient>()
        .expect("valid recipient");
    let key = "cs_app_0000000000000000000001"
        .parse::<AppKey>()
        .expect("valid app key");
    let senders = SenderPool::new([(None, number)]).expect("valid sender pool");
    App::new(app_id(name), key, NOW, senders)
}

/// Returns settings for logins in which every field is set.
#[must_use]
pub fn login() -> LoginSettings {
    let fingerprint = vec!["0A"; 32].join(":");
    LoginSettings {
        link_host: "login.shop.example".parse::<LinkHost>().ok(),
        origins: ["https://shop.example", "http://localhost:3000"]
            .map(|origin| origin.parse::<WebOrigin>().expect("valid origin"))
            .into(),
        logins_from: LoginsFrom::Pages,
        return_pages: vec![
            "https://shop.example/login"
                .parse::<ReturnUrl>()
                .expect("valid return URL"),
        ],
        android: vec![AndroidApp {
            package: "com.example.shop"
                .parse::<AndroidPackage>()
                .expect("valid package"),
            fingerprints: vec![
                fingerprint
                    .parse::<CertificateFingerprint>()
                    .expect("valid fingerprint"),
            ],
        }],
        ios: vec![
            "ABCDE12345.com.example.shop"
                .parse::<IosAppId>()
                .expect("valid id"),
        ],
        risk: RiskPolicy {
            denials_forbid: true,
        },
        payload_encryption: PayloadEncryption::Optional,
        require_proof: false,
        check_code: false,
        callback: CallbackUrl::from_stored("https://shop.example/logins").ok(),
        web_phone: true,
        web_phone_key: WebPhoneKey::Passkey,
        phone_setup_url: "https://shop.example/account/phones".parse().ok(),
    }
}

/// Returns settings for the OpenID provider in which every field is set.
#[must_use]
pub fn openid() -> OpenIdSettings {
    let uri = |text: &str| text.parse().expect("valid redirect URI");
    let methods = vec![SignInMethod::Code, SignInMethod::Text];
    OpenIdSettings {
        redirect_uris: vec![
            uri("https://shop.example/callback"),
            uri("com.example.shop:/callback"),
        ],
        post_logout_redirect_uris: vec![uri("https://shop.example/bye")],
        public_client: true,
        nonce_instead_of_pkce: true,
        methods: methods.try_into().expect("valid methods"),
        subject_silence_days: 45,
    }
}

/// Returns quotas of which some are set.
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
        association_keys: QuotaSettings::default(),
        lists: QuotaSettings {
            per_minute: NonZeroU32::new(600),
            ..QuotaSettings::default()
        },
    }
}

/// Returns a pool of numbers, each for one country or for all.
#[must_use]
pub fn senders(numbers: &[(Option<&str>, &str)]) -> SenderPool {
    let numbers = numbers.iter().map(|(country, number)| {
        let country = country.map(|country| country.parse::<Country>().expect("valid country"));
        (
            country,
            number.parse::<Recipient>().expect("valid recipient"),
        )
    });
    SenderPool::new(numbers).expect("valid sender pool")
}

/// Returns an active key that was issued `n` seconds after [`NOW`]. The order of the hashes differs
/// from the order of the times.
#[must_use]
pub fn key(n: u8) -> ApiKeyRecord {
    let mut hash = [n; 32];
    hash[0] = n.wrapping_mul(151);
    ApiKeyRecord {
        hash: ApiKeyHash::from_bytes(hash),
        issued_at: NOW.plus(Duration::from_secs(n.into())),
        revoked_at: None,
        mode: KeyMode::Live,
        label: None,
    }
}

/// Returns an active client secret that was issued `n` seconds after [`NOW`].
#[must_use]
pub fn client_secret(n: u8) -> ClientSecretRecord {
    ClientSecretRecord {
        hash: ClientSecretHash::from_bytes([n; 32]),
        issued_at: NOW.plus(Duration::from_secs(n.into())),
        revoked_at: None,
        label: None,
    }
}
