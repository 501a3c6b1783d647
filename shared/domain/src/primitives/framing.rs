//! Concatenation of texts for hashing and authentication, such that different lists of texts never
//! yield the same bytes.

/// Concatenates parts, each preceded by its length: two bytes in big-endian order. A part longer
/// than 65,535 bytes is truncated; callers pass only shorter ones.
#[must_use]
pub fn framed(parts: &[&[u8]]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(parts.iter().map(|part| 2 + part.len()).sum());
    for part in parts {
        let length = u16::try_from(part.len()).unwrap_or(u16::MAX);
        joined.extend_from_slice(&length.to_be_bytes());
        joined.extend_from_slice(&part[..usize::from(length)]);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_part_follows_its_length() {
        assert_eq!(framed(&[b"ab", b"", b"c"]), b"\0\x02ab\0\0\0\x01c");
        assert_eq!(framed(&[&[7; 300]])[..3], [1, 44, 7]);
        assert_eq!(framed(&[]), b"");
    }

    proptest! {
        #[test]
        fn different_lists_give_different_bytes(
            one in proptest::collection::vec("[a-b]{0,3}", 0..4),
            two in proptest::collection::vec("[a-b]{0,3}", 0..4),
        ) {
            let join = |list: &[String]| {
                framed(&list.iter().map(String::as_bytes).collect::<Vec<_>>())
            };
            prop_assert_eq!(one == two, join(&one) == join(&two));
        }
    }
}
