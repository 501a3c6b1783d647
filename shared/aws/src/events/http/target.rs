//! The target of a request: its path without the stage, and its query.

use std::fmt::Write as _;

use http::Uri;
use http::uri::Authority;
use url::form_urlencoded;

use super::Payload;
use super::json::Json;

/// Largest length of the host, path and query together, in bytes. A `Uri` holds 65,534, and encoding
/// makes up to three bytes of one.
pub(super) const MAX_TARGET: usize = 20_000;

/// Returns the target of a request to this host, or `None` if it makes none.
pub(super) fn target(payload: Payload, event: &Json<'_>, host: &str) -> Option<Uri> {
    let path = match payload {
        Payload::V1 | Payload::LoadBalancer => event.get("path"),
        Payload::V2 => event.get("rawPath"),
    };
    let path = without_stage(path.text()?, event.get("requestContext"));
    let mut target = String::with_capacity(path.len());
    encode(path, b"/%", &mut target);
    if !target.starts_with('/') || has_dots(&target) || Authority::try_from(host).is_err() {
        return None;
    }
    let path_length = target.len();
    if host.len() + path_length + push_query(payload, event, &mut target) > MAX_TARGET {
        return None;
    }
    if target.len() == path_length + 1 {
        target.truncate(path_length);
    }
    Uri::try_from(target).ok()
}

/// Removes a stage that the path begins with.
///
/// Payload 2.0 always has it there. Payload 1.0 has it in `requestContext.path`; if the two paths
/// differ, the path has none.
fn without_stage<'a>(path: &'a str, context: &Json<'_>) -> &'a str {
    let whole = context.get("path").text().unwrap_or(path);
    let Some(stage) = context.get("stage").text().filter(|_| whole == path) else {
        return path;
    };
    let rest = path
        .strip_prefix('/')
        .and_then(|path| path.strip_prefix(stage));
    match rest {
        Some("") => "/",
        Some(rest) if rest.starts_with('/') => rest,
        _ => path,
    }
}

/// Returns whether a segment of the path is `.` or `..`, which clients resolve before they send it. No
/// route is written like that.
fn has_dots(path: &str) -> bool {
    let is_dots = |segment: &str| {
        let dots = segment.replace("%2e", ".").replace("%2E", ".");
        dots == "." || dots == ".."
    };
    (path.contains("/.") || path.contains("/%2")) && path.split('/').any(is_dots)
}

/// Appends the query, and returns its length before values are encoded.
fn push_query(payload: Payload, event: &Json<'_>, target: &mut String) -> usize {
    target.push('?');
    if payload == Payload::V2 {
        let start = target.len();
        encode(
            event.get("rawQueryString").text().unwrap_or_default(),
            b"/%?",
            target,
        );
        return target.len() - start;
    }
    let all = event.get("multiValueQueryStringParameters").members();
    let single = event.get("queryStringParameters").members();
    let pairs = if all.is_empty() { single } else { all };
    let pairs = pairs
        .iter()
        .flat_map(|(name, values)| values.texts().map(move |value| (name, value)));
    let mut length = 0;
    for (name, value) in pairs {
        length += name.len() + value.len() + "=&".len();
        if length > MAX_TARGET {
            break;
        }
        if !target.ends_with('?') {
            target.push('&');
        }
        match payload {
            // As the client sent it.
            Payload::LoadBalancer => {
                encode(name, b"/%?", target);
                target.push('=');
                encode(value, b"/%?", target);
            }
            // API Gateway decoded it.
            Payload::V1 | Payload::V2 => {
                target.extend(form_urlencoded::byte_serialize(name.as_bytes()));
                target.push('=');
                target.extend(form_urlencoded::byte_serialize(value.as_bytes()));
            }
        }
    }
    length
}

/// Appends a text, and encodes what a target cannot hold; `more` is kept as it is.
fn encode(text: &str, more: &[u8], target: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric()
            || b"-._~!$&'()*+,;=:@".contains(&byte)
            || more.contains(&byte)
        {
            target.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(target, "%{byte:02X}");
        }
    }
}
