//! Names, ids, keys and addresses in requests.

use std::fmt::Debug;
use std::str::FromStr;

use countersign_domain::app::AppKey;
use countersign_domain::app::api_key::{ApiKeyId, PresentedApiKey};
use countersign_domain::app::code::CodePrefix;
use countersign_domain::app::login::{AndroidPackage, CertificateFingerprint, IosAppId};
use countersign_domain::app::senders::Recipient;
use countersign_domain::app::template::MessageTemplate;
use countersign_domain::login::sighting::CountryCode;
use countersign_domain::login::{
    BrowserPublicKey, BrowserToken, CheckCode, ClaimedUserId, Context, DeviceToken, KeyId,
    LoginLink, MobileToken, PayDigest, Proof, Receipt, Salt,
};
use countersign_domain::primitives::idempotency::IdempotencyKey;
use countersign_domain::primitives::ids::{AppId, ConfirmationId, LoginId};
use countersign_domain::primitives::phone::Country;
use countersign_domain::primitives::watcher::WatcherId;
use countersign_domain::web::callback_url::{CallbackPolicy, CallbackUrl};
use countersign_domain::web::link_host::LinkHost;
use countersign_domain::web::origin::WebOrigin;

/// An accepted callback URL is public HTTPS, and its text parses to the same URL.
pub(crate) fn callback_url(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let policy = CallbackPolicy::deployed();
    let Ok(url) = CallbackUrl::parse(text, &policy) else {
        return;
    };
    let written = url.as_str();
    assert!(written.starts_with("https://"), "{written}");
    assert!(written.bytes().all(|c| c.is_ascii_graphic()), "{written}");
    assert_eq!(CallbackUrl::parse(written, &policy).as_ref(), Ok(&url));
    assert_eq!(CallbackUrl::from_stored(written).as_ref(), Ok(&url));
    let parsed = url.as_url();
    assert!(parsed.username().is_empty() && parsed.password().is_none());
    assert!(parsed.fragment().is_none() && parsed.has_host());
    if let Some(url::Host::Ipv4(address)) = parsed.host() {
        let inside = address.is_private() || address.is_loopback() || address.is_link_local();
        assert!(!inside, "{written}");
    }
    if let Some(url::Host::Ipv6(address)) = parsed.host() {
        let inside = address.is_loopback() || address.is_unspecified() || address.is_multicast();
        assert!(!inside, "{written}");
    }
}

/// Checks that an accepted value is written as text that parses to the same value.
fn stands_for_itself<T>(text: &str, write: impl Fn(&T) -> String)
where
    T: FromStr<Err: Debug>,
{
    if let Ok(value) = text.parse::<T>() {
        let written = write(&value);
        let again = written.parse::<T>().expect("the written form is read");
        assert_eq!(write(&again), written);
    }
}

/// Checks that a secret is accepted in only one spelling, and that `Debug` hides it.
fn has_one_spelling<T>(text: &str, write: impl Fn(&T) -> String)
where
    T: FromStr,
    T: Debug,
{
    if let Ok(value) = text.parse::<T>() {
        assert_eq!(write(&value), text);
        assert!(!format!("{value:?}").contains(text), "{text}");
    }
}

/// An accepted name has a text that parses to the same name; a secret has only one spelling.
pub(crate) fn names(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    stands_for_itself::<AppId>(text, |name| name.as_str().to_owned());
    stands_for_itself::<AppKey>(text, |name| name.as_str().to_owned());
    stands_for_itself::<ApiKeyId>(text, |name| name.as_str().to_owned());
    stands_for_itself::<CodePrefix>(text, ToString::to_string);
    stands_for_itself::<Recipient>(text, ToString::to_string);
    stands_for_itself::<MessageTemplate>(text, |name| name.as_str().to_owned());
    stands_for_itself::<AndroidPackage>(text, |name| name.as_str().to_owned());
    stands_for_itself::<CertificateFingerprint>(text, ToString::to_string);
    stands_for_itself::<IosAppId>(text, |name| name.as_str().to_owned());
    stands_for_itself::<IdempotencyKey>(text, |name| name.as_str().to_owned());
    stands_for_itself::<ConfirmationId>(text, ToString::to_string);
    stands_for_itself::<LoginId>(text, ToString::to_string);
    stands_for_itself::<LoginLink>(text, ToString::to_string);
    stands_for_itself::<LinkHost>(text, ToString::to_string);
    stands_for_itself::<WebOrigin>(text, ToString::to_string);
    stands_for_itself::<ClaimedUserId>(text, |name| name.as_str().to_owned());
    stands_for_itself::<Context>(text, |name| name.as_str().to_owned());
    stands_for_itself::<WatcherId>(text, |name| name.as_str().to_owned());
    stands_for_itself::<Country>(text, ToString::to_string);
    stands_for_itself::<CountryCode>(text, ToString::to_string);
    stands_for_itself::<BrowserPublicKey>(text, ToString::to_string);
    stands_for_itself::<KeyId>(text, ToString::to_string);
    stands_for_itself::<PayDigest>(text, ToString::to_string);
    has_one_spelling::<PresentedApiKey>(text, |key| key.reveal().to_owned());
    has_one_spelling::<BrowserToken>(text, BrowserToken::reveal);
    has_one_spelling::<MobileToken>(text, MobileToken::reveal);
    has_one_spelling::<Salt>(text, ToString::to_string);
    has_one_spelling::<Proof>(text, |proof| proof.as_str().to_owned());
    let _ = text.parse::<CheckCode>();
    let _ = text.parse::<DeviceToken>();
    let _ = text.parse::<Receipt>();
}
