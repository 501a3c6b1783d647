//! Fixed-width base 62 for keys that people copy: only letters and digits, so that a double-click
//! selects the whole key.

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Encodes `bytes` as a big-endian number of exactly `width` digits. If the width is too small, the
/// highest digits are dropped; the callers' widths are sufficient.
pub(crate) fn encode(bytes: &[u8], width: usize) -> String {
    let mut number = bytes.to_vec();
    let mut digits = vec![0; width];
    for digit in digits.iter_mut().rev() {
        let mut remainder = 0_u32;
        for byte in &mut number {
            let value = remainder << 8 | u32::from(*byte);
            *byte = u8::try_from(value / 62).unwrap_or(u8::MAX);
            remainder = value % 62;
        }
        *digit = ALPHABET[remainder as usize];
    }
    digits.into_iter().map(char::from).collect()
}

/// Returns whether every character is a base-62 digit.
pub(crate) fn is_base62(text: &str) -> bool {
    text.bytes().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_are_encoded() {
        assert_eq!(encode(&[0], 2), "00");
        assert_eq!(encode(&[61], 2), "0z");
        assert_eq!(encode(&[62], 2), "10");
        assert_eq!(encode(&[0xff; 4], 6), "4gfFC3");
        assert_eq!(encode(&[0xff; 32], 43).len(), 43);
        assert!(!encode(&[0xff; 32], 43).starts_with('0'));
    }
}
