//! Keyed hashes with a configurable algorithm.

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use serde::Deserialize;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use subtle::ConstantTimeEq as _;

/// The hash in an HMAC. MD5 and SHA-1 are broken as hashes, but no forgery is known for their HMACs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HashAlgorithm {
    /// MD5, 16 bytes.
    Md5,
    /// SHA-1, 20 bytes.
    Sha1,
    /// SHA-256, 32 bytes.
    Sha256,
    /// SHA-512, 64 bytes.
    Sha512,
}

impl HashAlgorithm {
    /// Computes the HMAC over the concatenated parts.
    pub(crate) fn mac(self, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::Md5 => compute::<Hmac<Md5>>(key, parts),
            Self::Sha1 => compute::<Hmac<Sha1>>(key, parts),
            Self::Sha256 => compute::<Hmac<Sha256>>(key, parts),
            Self::Sha512 => compute::<Hmac<Sha512>>(key, parts),
        }
    }
}

fn compute<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else {
        unreachable!("HMAC takes a key of any length (RFC 2104)")
    };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

/// Compares two byte strings in a time that depends only on their lengths.
pub(crate) fn equal(expected: &[u8], given: &[u8]) -> bool {
    expected.ct_eq(given).into()
}

/// Decodes hexadecimal digits of either case.
pub(crate) fn from_hex(text: &str) -> Option<Vec<u8>> {
    base16ct::mixed::decode_vec(text).ok()
}

/// Encodes bytes as lower-case hexadecimal digits.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}
