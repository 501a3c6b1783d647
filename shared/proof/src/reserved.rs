//! Data that an association key must not sign for the app, because it could be a proof.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use thiserror::Error;

/// A word in every proof's type, in lower case.
const RESERVED_WORD: &[u8] = b"countersign-login";

/// Reads Base64 without padding as leniently as any verifier might.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone),
);

/// The error for data that could be the signing input of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "the data could be the proof of a login: its part before the first dot is a JOSE header that \
     names a login or has escapes"
)]
pub struct ReservedData;

/// Returns whether data could be the signing input of a proof, `{header}.{claims}`, for any verifier,
/// however lenient it is with white space, letter case, byte order marks, characters outside the
/// Base64 alphabets, padding and text encodings.
///
/// That is the case if the part before the first dot, reduced to Base64 and decoded, contains
/// `countersign-login` in any case, or has escapes that could spell that name: a `\u` with four
/// digits, or any backslash in text that begins like a JSON object.
#[must_use]
pub fn is_reserved(data: &str) -> bool {
    let Some((header, _)) = data.split_once('.') else {
        return false;
    };
    // Some decoders skip padding inside the text. Others restart after it or stop there; the text
    // that those read is part of the second reading.
    let skipped = decode(header);
    let restarted: Vec<u8> = header.split('=').flat_map(decode).collect();
    could_be_header(&skipped) || could_be_header(&restarted)
}

/// Decodes Base64 of either alphabet, ignoring characters outside both.
fn decode(text: &str) -> Vec<u8> {
    let mut digits: Vec<u8> = text.bytes().filter_map(standard_digit).collect();
    // A single digit at the end is less than a byte.
    if digits.len() % 4 == 1 {
        digits.pop();
    }
    FORGIVING.decode(digits).unwrap_or_default()
}

fn standard_digit(character: u8) -> Option<u8> {
    match character {
        b'-' => Some(b'+'),
        b'_' => Some(b'/'),
        b'+' | b'/' => Some(character),
        _ => character.is_ascii_alphanumeric().then_some(character),
    }
}

fn could_be_header(decoded: &[u8]) -> bool {
    // ASCII in UTF-16 or UTF-32 is ASCII between zero bytes. JSON readers that take bytes may
    // detect those encodings.
    let text: Vec<u8> = decoded.iter().copied().filter(|byte| *byte != 0).collect();
    let names_login = text
        .windows(RESERVED_WORD.len())
        .any(|part| part.eq_ignore_ascii_case(RESERVED_WORD));
    names_login || has_unicode_escape(&text) || (begins_like_object(&text) && text.contains(&b'\\'))
}

/// Returns whether the text has an escape such as `\u0063`. JSON readers that accept unquoted names or
/// comments would accept an escape in texts that do not begin with `{` and `"`.
fn has_unicode_escape(text: &[u8]) -> bool {
    text.windows(6).any(|part| {
        let (mark, digits) = part.split_at(2);
        mark.eq_ignore_ascii_case(b"\\u") && digits.iter().all(u8::is_ascii_hexdigit)
    })
}

/// Returns whether the text begins with `{` and `"`, with or without white space and byte order marks.
fn begins_like_object(text: &[u8]) -> bool {
    let blank =
        |byte: &u8| byte.is_ascii_whitespace() || b"\x0b\xef\xbb\xbf\xfe\xff".contains(byte);
    let mut bytes = text.iter().copied().filter(|byte| !blank(byte));
    bytes.next() == Some(b'{') && bytes.next() == Some(b'"')
}

#[cfg(test)]
mod tests;
