//! The header `If-None-Match`: answers that the caller already has (RFC 9110, section 13.1.2).

use http::HeaderMap;
use http::header::IF_NONE_MATCH;

/// Returns whether `If-None-Match` contains a tag, written as in `ETag`. Tags are compared weakly,
/// as the header requires. A malformed member ends the list.
pub(crate) fn matches(headers: &HeaderMap, tag: &str) -> bool {
    headers.get_all(IF_NONE_MATCH).iter().any(|value| {
        let value = value.as_bytes().trim_ascii();
        value == b"*" || tags(value).any(|known| known == tag.as_bytes())
    })
}

/// Returns the tags of a list, without `W/`.
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

    fn names_the_tag(values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IF_NONE_MATCH, HeaderValue::from_str(value).unwrap());
        }
        matches(&headers, "\"created-7\"")
    }

    #[test]
    fn lists_weak_tags_and_the_star_match() {
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
            assert!(names_the_tag(values), "{values:?}");
        }
    }

    #[test]
    fn other_and_malformed_tags_do_not_match() {
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
            assert!(!names_the_tag(values), "{values:?}");
        }
    }
}
