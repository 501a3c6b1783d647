//! Receipts, with which a browser can redeem a payload again if the answer was lost.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use serde_with::serde_as;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;
use thiserror::Error;

use crate::primitives::base64url::Base64Url;

/// Separates the hashes of receipts from all others.
const DOMAIN: &[u8] = b"countersign/qr/receipt/1\0";

/// A random value that the browser chose for one redemption: 16 to 32 bytes, written as base64url
/// without padding. `Debug` hides the receipt.
#[derive(Clone)]
pub struct Receipt(Vec<u8>);

/// The error for a malformed receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a receipt is 16 to 32 bytes in base64url without padding")]
pub struct MalformedReceipt;

impl Receipt {
    /// Returns the hash of the receipt. Only the hash is stored.
    #[must_use]
    pub fn hash(&self) -> ReceiptHash {
        let digest = Sha256::new()
            .chain_update(DOMAIN)
            .chain_update(&self.0)
            .finalize();
        ReceiptHash(digest.into())
    }
}

impl FromStr for Receipt {
    type Err = MalformedReceipt;

    /// Parses the text form. Each receipt has only one text form: padding and surplus bits are
    /// refused.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        match BASE64_URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
            Ok(length @ 16..=32) => Ok(Self(bytes[..length].to_vec())),
            _ => Err(MalformedReceipt),
        }
    }
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipt(…)")
    }
}

/// SHA-256 of a receipt. Comparison takes constant time.
#[serde_as]
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct ReceiptHash(#[serde_as(as = "Base64Url")] [u8; 32]);

impl PartialEq for ReceiptHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for ReceiptHash {}

impl fmt::Debug for ReceiptHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReceiptHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(length: usize) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(vec![7; length])
    }

    #[test]
    fn receipt_is_16_to_32_bytes() {
        for length in [16, 17, 31, 32] {
            assert!(text(length).parse::<Receipt>().is_ok(), "{length}");
        }
        let padded = format!("{}=", text(16));
        for bad in ["", &text(15), &text(33), &text(64), &padded, "not base64!"] {
            assert_eq!(bad.parse::<Receipt>().err(), Some(MalformedReceipt));
        }
    }

    #[test]
    fn receipts_of_different_lengths_have_different_hashes() {
        let hash = |length| text(length).parse::<Receipt>().unwrap().hash();
        assert_eq!(hash(16), hash(16));
        assert_ne!(hash(16), hash(17));
    }

    #[test]
    fn debug_hides_the_receipt() {
        let receipt = text(16).parse::<Receipt>().unwrap();
        assert_eq!(format!("{receipt:?}"), "Receipt(…)");
        assert_eq!(format!("{:?}", receipt.hash()), "ReceiptHash(…)");
    }
}
