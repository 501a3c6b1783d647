//! Answers that a caller may have already (RFC 9110, section 13.1.2).

use http::HeaderMap;
use http::header::IF_NONE_MATCH;

/// Whether `If-None-Match` names the tag, which is written as `ETag` has it. Tags compare weakly,
/// as the header asks for; a member that is malformed ends the list.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers.get_all(IF_NONE_MATCH).iter().any(|value| {
        let value = value.as_bytes().trim_ascii();
        value == b"*" || tags(value).any(|known| known == tag.as_bytes())
    })
}

/// The tags of a list, without the marks of weakness.
fn tags(mut list: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let begin = list
            .iter()
            .position(|c| !matches!(c, b' ' | b'\t' | b','))?;
        let rest = &list[begin..];
        let rest = rest.strip_prefix(b"W/").unwrap_or(rest);
        let inside = rest.strip_prefix(b"\"")?;
        let end = inside.iter().position(|c| *c == b'"')?;
        let (tag, after) = rest.split_at(end + 2);
        list = after;
        Some(tag)
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn asks(values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IF_NONE_MATCH, HeaderValue::from_str(value).unwrap());
        }
        is_known(&headers, "\"created-7\"")
    }

    #[test]
    fn lists_and_weak_tags_and_the_star_count() {
        for values in [
            &["\"created-7\""][..],
            &["W/\"created-7\""],
            &["*"],
            &[" * "],
            &["\"a\", \"created-7\""],
            &["\"a\",W/\"b\" ,, W/\"created-7\",\"c\""],
            &["\"a,b\", \"created-7\""],
            &["\"a\"", "\"created-7\""],
        ] {
            assert!(asks(values), "{values:?}");
        }
    }

    #[test]
    fn others_and_nonsense_do_not() {
        for values in [
            &[][..],
            &[""],
            &["created-7"],
            &["\"created-7"],
            &["w/\"created-7\""],
            &["\"created-70\""],
            &["\"x\" *"],
            &["x, \"created-7\""],
            &["\"\""],
        ] {
            assert!(!asks(values), "{values:?}");
        }
    }
}
