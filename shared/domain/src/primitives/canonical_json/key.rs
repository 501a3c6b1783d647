use std::borrow::Cow;

/// The largest integer that ECMAScript treats as an array index (ECMA-262, section 6.1.7).
const MAX_INDEX: u32 = u32::MAX - 1;

/// A key that sorts in canonical order: by variant first, then within the variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key<'a> {
    /// An array index. ECMAScript lists these first, in numerical order.
    Index(u32),
    /// Any other key, ordered by its UTF-8 bytes.
    Name(Cow<'a, str>),
}

impl<'a> From<Cow<'a, str>> for Key<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        array_index(&text).map_or(Self::Name(text), Self::Index)
    }
}

impl<'a> From<&'a str> for Key<'a> {
    fn from(text: &'a str) -> Self {
        Self::from(Cow::Borrowed(text))
    }
}

/// Parses an array index; returns `None` unless `text` is its canonical form.
fn array_index(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let padded = text.len() > 1 && text.starts_with('0');
    if !digits || padded {
        return None;
    }
    text.parse().ok().filter(|index| *index <= MAX_INDEX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_indices_are_the_canonical_decimals_up_to_two_to_the_32_minus_2() {
        for index in ["0", "9", "10", "4294967294"] {
            assert!(matches!(Key::from(index), Key::Index(_)), "{index}");
        }
        for name in [
            "",
            "00",
            "01",
            "-0",
            "-1",
            "+1",
            "1.0",
            "1e1",
            " 1",
            "٣",
            "4294967295",
        ] {
            assert!(matches!(Key::from(name), Key::Name(_)), "{name}");
        }
    }

    #[test]
    fn indices_come_first_by_number_and_names_by_code_point() {
        let sorted = [
            "2",
            "10",
            "4294967294",
            "",
            "!",
            "01",
            "4294967295",
            "A",
            "a",
            "é",
        ];
        // UTF-16, and therefore Java's `compareTo`, orders these two the other way round.
        let sorted = sorted.into_iter().chain(["\u{ffff}", "\u{10000}"]);
        let keys: Vec<Key<'_>> = sorted.map(Key::from).collect();
        assert!(keys.is_sorted(), "{keys:?}");
    }
}
