//! Proofs of who confirmed a login.
//!
//! A phone has an association key, a P-256 key pair, for each public user id. When its user
//! confirms a login, the phone signs a proof: a JWT (RFC 7519) about the app, the page, the login
//! and the payload. The app's server knows the public half, and [`verify`] returns who confirmed.
//!
//! The same key signs any data that the app passes to
//! [`generate_user_signature`](AssociationPrivateKey::generate_user_signature). That function
//! refuses data that could be a proof, so a signature over data never becomes one.
//!
//! A passkey cannot sign a JWT. Its proof has the same claims, and an assertion whose challenge is the hash of header and
//! claims, in five parts: header, claims, authenticator data, client data and signature.
//!
//! Private keys may stay in a store that only signs, such as a phone's secure hardware:
//! [`ProofClaims::unsigned`] returns the bytes to sign, and [`UnsignedProof::assemble`] checks the
//! signature and completes the proof.
#![warn(missing_docs)]

mod digest;
mod error;
mod header;
mod key;
mod members;
pub mod passkey;
mod port;
pub mod registration;
mod reserved;
mod sign;
mod signature;
mod verify;

pub use countersign_domain::login::proof_verifier::ProofIdentity;
pub use countersign_domain::login::{KeyId, MalformedKeyId};
pub use digest::{SALT_BYTES, context_digest, payload_digest};
pub use error::ProofError;
pub use key::{AssociationPrivateKey, AssociationPublicKey, MalformedKey};
pub use port::Proofs;
pub use reserved::{ReservedData, is_reserved};
pub use sign::{ProofClaims, ProofTooLong, UnsignedPasskeyProof, UnsignedProof};
pub use signature::{MAX_SIGNATURE, WrongSignature};
pub use verify::{
    Expected, ExpectedPayload, ExpectedUser, KnownKey, VerifiedProof, check, key_id, verify,
};

/// Maximum length of a proof, in bytes: of one by a passkey.
pub const MAX_PROOF: usize = countersign_domain::login::phone_payload::MAX_PROOF_BYTES;

/// Maximum length of a proof that is a JWT, in bytes.
pub const MAX_JWT: usize = countersign_domain::login::phone_payload::MAX_JWT_BYTES;

/// The lifetime of a proof, in seconds: the difference between its claims `exp` and `iat`.
pub const LIFETIME_SECONDS: u64 = 300;

/// Maximum difference between the phone's corrected clock and the verifier's clock, in seconds. A
/// proof is valid from this long before `iat` until this long after `exp`.
pub const CLOCK_TOLERANCE: u64 = 60;

/// The type of a proof that is a JWT, the header's member `typ`.
pub const TYPE: &str = "countersign-login+jwt";

/// The signature algorithm of a proof that is a JWT, the header's member `alg`: ECDSA over P-256 with SHA-256.
pub const ALGORITHM: &str = "ES256";

/// The type of a passkey's proof, the header's member `typ`.
pub const PASSKEY_TYPE: &str = "countersign-login+webauthn";

/// The algorithm of a passkey's proof, the header's member `alg`. No library for JWTs knows it.
pub const PASSKEY_ALGORITHM: &str = "WebAuthn-ES256";

/// The action that a proof is about, the claim `act`.
pub const ACTION: &str = "confirm";
