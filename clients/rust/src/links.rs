//! Login links: `https://HOST?sessionId=ID`, or `http://` if the host is localhost. Nothing here performs
//! I/O.

const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// Returns the scheme of links to a host with an optional port, or `None` if the host is not valid
/// in a link.
pub(crate) fn scheme_of(host: &str) -> Option<&'static str> {
    let (name, port) = match host.strip_prefix("[::1]") {
        Some(rest) => ("[::1]", rest),
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_port) {
        return None;
    }
    if matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
        return Some("http");
    }
    is_name(name).then_some("https")
}

fn is_port(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    is_plain && text.parse::<u16>().is_ok()
}

fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_inside = !label.starts_with('-') && !label.ends_with('-');
        (1..=MAX_LABEL).contains(&label.len()) && label.bytes().all(fits) && is_inside
    };
    // The last label of a name must contain a letter: otherwise the host is an IP address in some
    // notation.
    let last = name.rsplit('.').next().unwrap_or_default();
    let has_letter = last.bytes().any(|byte| byte.is_ascii_lowercase()) && !is_hexadecimal(last);
    name.len() <= MAX_NAME && has_letter && name.split('.').all(is_label)
}

/// Returns whether a label is a number as in some notations of IP addresses, such as `0x7f`.
fn is_hexadecimal(label: &str) -> bool {
    label
        .strip_prefix("0x")
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns whether a link is exactly the expected link of a login.
pub(crate) fn is_link_of(link: &str, session_id: &str) -> bool {
    let Some((scheme, rest)) = link.split_once("://") else {
        return false;
    };
    let Some((host, id)) = rest.split_once("?sessionId=") else {
        return false;
    };
    id == session_id && scheme_of(host) == Some(scheme)
}
