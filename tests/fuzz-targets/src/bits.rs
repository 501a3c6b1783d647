//! Single-bit changes, at a position that the input itself determines.

/// Returns the bytes with one bit flipped; `None` if there are no bytes.
pub(crate) fn flipped(bytes: &[u8], input: &[u8]) -> Option<Vec<u8>> {
    let bits = bytes.len() * 8;
    if bits == 0 {
        return None;
    }
    let mut changed = bytes.to_vec();
    let at = usize::try_from(hash(input)).unwrap_or_default() % bits;
    changed[at / 8] ^= 1 << (at % 8);
    Some(changed)
}

/// FNV-1a, reduced to its upper 31 bits so that it fits any `usize`.
fn hash(bytes: &[u8]) -> u64 {
    let mixed = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    mixed >> 33
}
