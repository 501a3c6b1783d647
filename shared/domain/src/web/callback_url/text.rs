//! Strict parsing of a text into its normalized form.
//!
//! The WHATWG parser is lenient: it strips spaces and line ends, reads `\` as `/` and a single
//! slash as two, and drops an empty user name. Browsers require this. Here, each of these rules
//! could make two parsers see different hosts, so we refuse such texts before the parser sees them.

use url::{Host, ParseError, Url};

use super::{CallbackUrlError, MAX_BYTES};

/// Maximum length of a host name in bytes, without its final dot (RFC 1035, section 2.3.4).
const MAX_NAME_BYTES: usize = 253;

/// Maximum length of one label of a host name, in bytes.
const MAX_LABEL_BYTES: usize = 63;

/// Parses an `http` or `https` URL with a host and without user information or fragment.
pub(super) fn read(text: &str) -> Result<Url, CallbackUrlError> {
    if text.len() > MAX_BYTES {
        return Err(CallbackUrlError::TooLong);
    }
    if text.chars().any(is_forbidden) {
        return Err(CallbackUrlError::ForbiddenCharacter);
    }
    let (scheme, rest) = text.split_once("://").ok_or(CallbackUrlError::Malformed)?;
    if !["https", "http"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
    {
        return Err(CallbackUrlError::NotHttps);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() {
        return Err(CallbackUrlError::Malformed);
    }
    if authority.contains('@') {
        return Err(CallbackUrlError::UserInfo);
    }
    if rest.contains('#') {
        return Err(CallbackUrlError::Fragment);
    }
    let mut url = Url::parse(text).map_err(|_: ParseError| CallbackUrlError::Malformed)?;
    normalise_name(&mut url)?;
    if url.as_str().len() > MAX_BYTES {
        return Err(CallbackUrlError::TooLong);
    }
    Ok(url)
}

/// Removes the final dot of a host name: every name here is fully qualified, and the dot would give
/// one receiver two origins. Refuses texts that are not host names.
fn normalise_name(url: &mut Url) -> Result<(), CallbackUrlError> {
    let Some(Host::Domain(name)) = url.host() else {
        return Ok(());
    };
    let bare = name.strip_suffix('.').unwrap_or(name);
    if bare.len() > MAX_NAME_BYTES || !bare.split('.').all(is_label) {
        return Err(CallbackUrlError::Malformed);
    }
    if bare.len() < name.len() {
        let bare = bare.to_owned();
        url.set_host(Some(&bare))
            .map_err(|_: ParseError| CallbackUrlError::Malformed)?;
    }
    Ok(())
}

/// Returns whether `label` consists of letters, digits, inner hyphens, and underscores, which some
/// hosting services use.
fn is_label(label: &str) -> bool {
    (1..=MAX_LABEL_BYTES).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Returns whether parsers drop or rewrite the character: control characters, all kinds of spaces,
/// invisible marks, and the backslash.
fn is_forbidden(c: char) -> bool {
    c == '\\'
        || c.is_control()
        || c.is_whitespace()
        || matches!(c,
            '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}')
}
