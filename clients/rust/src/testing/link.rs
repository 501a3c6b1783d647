//! Links as a phone reads them.

use url::Url;

use crate::error::PhoneRefusal;
use crate::links::scheme_of;

const MAX_LINK: usize = 2048;
const ID_DIGITS: usize = 32;

/// Returns the id of the login that a link opens.
pub(super) fn session_id_of(link: &str) -> Result<String, PhoneRefusal> {
    let malformed = PhoneRefusal::LinkMalformed;
    // Link parsers drop or replace some characters, so two parsers could read different links.
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    if link.len() > MAX_LINK || !link.bytes().all(is_plain) {
        return Err(malformed);
    }
    let (scheme, rest) = link.split_once("://").ok_or(malformed)?;
    let scheme = scheme.to_ascii_lowercase();
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_lowercase());
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, rest) = rest.split_at(end);
    let path = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    if !is_scheme || host.is_empty() || host.contains('@') || !matches!(path, "" | "/") {
        return Err(malformed);
    }
    if scheme != "https" && scheme != "http" {
        return Err(PhoneRefusal::LinkInsecure);
    }
    match scheme_of(&host.to_ascii_lowercase()) {
        None => return Err(malformed),
        Some(expected) if expected != scheme => return Err(PhoneRefusal::LinkInsecure),
        Some(_) => (),
    }
    let url = Url::parse(link).map_err(|_| malformed)?;
    let mut ids = url
        .query_pairs()
        .filter(|(name, _)| name == "sessionId")
        .map(|(_, id)| id.into_owned());
    let id = ids.next().ok_or(PhoneRefusal::SessionIdMissing)?;
    if ids.next().is_some() || !is_session_id(&id) {
        return Err(PhoneRefusal::SessionIdMalformed);
    }
    Ok(id)
}

fn is_session_id(id: &str) -> bool {
    let digits = id.strip_prefix("qrs_").or_else(|| id.strip_prefix("qrp_"));
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.is_some_and(|digits| digits.len() == ID_DIGITS && digits.bytes().all(is_digit))
}
