//! Logins: each one starts on one device and is decided on another.

pub mod analytics;
pub mod association_key;
pub mod browser_binding;
pub mod browser_key;
pub mod check_code;
pub mod context;
pub mod denial;
pub mod device;
pub mod history;
pub mod identity;
pub mod link;
pub mod notice;
pub mod openid_page;
pub mod passkey_assertion;
pub mod payload;
pub mod phone_payload;
pub mod phone_registration;
pub mod proof_verifier;
pub mod receipt;
pub mod refusal;
pub mod return_link;
pub mod risk;
pub mod screen;
pub mod sighting;
mod state;
pub mod texts;
pub mod token;
pub mod transitions;
pub mod user;
pub mod verified;
mod webhook;
mod withdrawal;

pub use association_key::{
    AssociationKey, CredentialId, KeyId, KeyKind, KeyPoint, KeyState, MAX_KEYS, MalformedKeyId,
    Passkey, RpId,
};
pub use browser_binding::BrowserBinding;
pub use browser_key::BrowserPublicKey;
pub use check_code::{CheckCode, MAX_MISSES, MalformedCheckCode, MissedCodes};
pub use context::{Context, LoginCreator};
pub use denial::{DenialPayload, DenialTooLong, DenyReason};
pub use device::{DeviceToken, DeviceTokenHash};
pub use link::LoginLink;
pub use notice::{Notice, NoticeBody};
pub use openid_page::OpenIdPage;
pub use passkey_assertion::PasskeyAssertion;
pub use payload::Payload;
pub use phone_payload::{PhonePayload, Proof, Salt};
pub use phone_registration::{PhoneRegisteredBody, PhoneRegistration};
pub use receipt::{Receipt, ReceiptHash};
pub use refusal::Refusal;
pub use return_link::{ReturnLink, ReturnToken, ReturnTokenHash};
pub use state::{
    BlockReason, Encryption, Login, MAX_WATCHERS, Phone, READ_WINDOW, REDEEM_WINDOW, RETENTION,
    RETENTION_SINCE_CREATION, Redeemed, SCANNED_TTL, State, Status, UNSCANNED_TTL,
};
pub use token::{
    BrowserToken, BrowserTokenHash, LoginPageToken, LoginPageTokenHash, MobileToken,
    MobileTokenHash, PayloadFingerprint,
};
pub use user::{ClaimedUserId, UserKey};
pub use verified::{MalformedDigest, PayDigest, VerifiedUser};
pub use webhook::LoginBody;
