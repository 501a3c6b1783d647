//! The text form that API keys and client secrets share, and that of their public ids.

use base16ct::lower;
use zeroize::Zeroize as _;

use crate::primitives::base62;
use crate::primitives::entropy::Entropy;

const SECRET_DIGITS: usize = 43;
const CHECK_DIGITS: usize = 6;

/// Returns a random secret: the prefix, 32 random bytes in base 62, and a checksum that detects typing errors without a
/// store lookup.
pub(super) fn generate(prefix: &str, entropy: &dyn Entropy) -> String {
    let mut secret = [0; 32];
    entropy.fill(&mut secret);
    let digits = base62::encode(&secret, SECRET_DIGITS);
    secret.zeroize();
    let check = checksum(&digits);
    format!("{prefix}{digits}{check}")
}

/// Returns whether a text is what may follow the prefix of a secret, with the right checksum.
pub(super) fn is_well_formed(rest: &str) -> bool {
    if rest.len() != SECRET_DIGITS + CHECK_DIGITS || !base62::is_base62(rest) {
        return false;
    }
    let (digits, check) = rest.split_at(SECRET_DIGITS);
    checksum(digits) == check
}

fn checksum(digits: &str) -> String {
    base62::encode(
        &crc32fast::hash(digits.as_bytes()).to_be_bytes(),
        CHECK_DIGITS,
    )
}

/// Returns the public id of a secret with this hash: the prefix and 16 hexadecimal digits.
pub(super) fn id(prefix: &str, hash: &[u8; 32]) -> String {
    format!("{prefix}{}", lower::encode_string(&hash[..8]))
}

/// Returns whether a text is a public id with this prefix.
pub(super) fn is_id(prefix: &str, text: &str) -> bool {
    let hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
    text.strip_prefix(prefix)
        .is_some_and(|digits| digits.len() == 16 && digits.bytes().all(hex))
}
