//! The JOSE header of a proof.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use thiserror::Error;

use crate::members::Members;
use crate::{ALGORITHM, PASSKEY_ALGORITHM, PASSKEY_TYPE, TYPE};
use countersign_domain::login::KeyId;

/// Why a header is not the header of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum HeaderError {
    /// The header is not base64url of a JSON object.
    #[error("malformed")]
    Malformed,
    /// `alg` is not that of the form.
    #[error("algorithm")]
    Algorithm,
    /// `typ` is not that of the form.
    #[error("type")]
    Type,
    /// `kid` is not the id of a key.
    #[error("key id")]
    KeyId,
    /// The header has another member, such as `crit`.
    #[error("surplus")]
    Surplus,
}

/// The form of a proof.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    algorithm: &'static str,
    kind: &'static str,
    /// Whether the header has only one spelling. A JWT may write its members in another order, as JOSE libraries
    /// do.
    is_exact: bool,
}

impl Form {
    pub(crate) const JWT: Self = Self {
        algorithm: ALGORITHM,
        kind: TYPE,
        is_exact: false,
    };
    pub(crate) const PASSKEY: Self = Self {
        algorithm: PASSKEY_ALGORITHM,
        kind: PASSKEY_TYPE,
        is_exact: true,
    };
}

/// Returns the header of a proof of a form by this key, in base64url.
pub(crate) fn write(key: KeyId, form: Form) -> String {
    let Form {
        algorithm, kind, ..
    } = form;
    let header = format!(r#"{{"alg":"{algorithm}","kid":"{key}","typ":"{kind}"}}"#);
    BASE64_URL_SAFE_NO_PAD.encode(header)
}

/// Parses the header of a proof of a form, and returns the id of its key.
///
/// # Errors
///
/// Fails unless the header has exactly the members `alg`, `kid` and `typ`, with the values of a
/// proof.
pub(crate) fn read(text: &str, form: Form) -> Result<KeyId, HeaderError> {
    let json = BASE64_URL_SAFE_NO_PAD.decode(text);
    let members = json.ok().and_then(|json| Members::parse(&json));
    let mut members = members.ok_or(HeaderError::Malformed)?;
    if members.take_text("alg").as_deref() != Some(form.algorithm) {
        return Err(HeaderError::Algorithm);
    }
    if members.take_text("typ").as_deref() != Some(form.kind) {
        return Err(HeaderError::Type);
    }
    let key = members.take_text("kid").and_then(|kid| kid.parse().ok());
    let key = key.ok_or(HeaderError::KeyId)?;
    if !members.is_empty() {
        return Err(HeaderError::Surplus);
    }
    if form.is_exact && text != write(key, form) {
        return Err(HeaderError::Malformed);
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<KeyId, HeaderError> {
        super::read(text, Form::JWT)
    }

    fn write(key: KeyId) -> String {
        super::write(key, Form::JWT)
    }

    #[test]
    fn header_of_a_passkeys_proof_has_one_spelling() {
        let key = KeyId::from_bytes([0xa7; 32]);
        let read = |text: &str| super::read(text, Form::PASSKEY);
        let text = super::write(key, Form::PASSKEY);
        let json = format!(
            r#"{{"alg":"WebAuthn-ES256","kid":"{key}","typ":"countersign-login+webauthn"}}"#
        );
        assert_eq!(text, encode(&json));
        assert_eq!(read(&text), Ok(key));
        assert_eq!(super::read(&text, Form::JWT), Err(HeaderError::Algorithm));
        assert_eq!(read(&write(key)), Err(HeaderError::Algorithm));
        for (json, error) in [
            (json.replacen(',', ", ", 1), HeaderError::Malformed),
            (json.replace("alg", r"\u0061lg"), HeaderError::Malformed),
            (json.replace("WebAuthn", "webauthn"), HeaderError::Algorithm),
            (json.replace("+webauthn", "+jwt"), HeaderError::Type),
            (json.replace('}', r#","crit":[]}"#), HeaderError::Surplus),
        ] {
            assert_eq!(read(&encode(&json)), Err(error), "{json}");
        }
    }

    fn encode(json: &str) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(json)
    }

    #[test]
    fn written_header_is_read() {
        let key = KeyId::from_bytes([0xa7; 32]);
        assert_eq!(read(&write(key)), Ok(key));
        let json = format!(r#"{{"alg":"ES256","kid":"{key}","typ":"countersign-login+jwt"}}"#);
        assert_eq!(write(key), encode(&json));
    }

    #[test]
    fn other_headers_are_refused() {
        let kid = KeyId::from_bytes([0xa7; 32]).to_string();
        let header = |alg: &str, typ: &str, more: &str| {
            encode(&format!(
                r#"{{"alg":{alg},"kid":"{kid}","typ":{typ}{more}}}"#
            ))
        };
        let (alg, typ) = (r#""ES256""#, r#""countersign-login+jwt""#);
        for bad in [
            r#""none""#,
            r#""HS256""#,
            r#""es256""#,
            r#""ES384""#,
            "null",
            "[\"ES256\"]",
        ] {
            assert_eq!(
                read(&header(bad, typ, "")),
                Err(HeaderError::Algorithm),
                "{bad}"
            );
        }
        for bad in [
            r#""JWT""#,
            r#""Countersign-Login+JWT""#,
            r#""application/countersign-login+jwt""#,
            "null",
        ] {
            assert_eq!(read(&header(alg, bad, "")), Err(HeaderError::Type), "{bad}");
        }
        for more in [
            r#","crit":["b64"],"b64":false"#,
            r#","crit":[]"#,
            r#","jwk":{}"#,
            r#","x5u":"https://evil.example""#,
            r#","cty":"JWT""#,
        ] {
            assert_eq!(
                read(&header(alg, typ, more)),
                Err(HeaderError::Surplus),
                "{more}"
            );
        }
        for more in [r#","alg":"none""#, r#","kid":"x""#, r#","typ":"JWT""#] {
            assert_eq!(
                read(&header(alg, typ, more)),
                Err(HeaderError::Malformed),
                "{more}"
            );
        }
        let named = |kid: &str| {
            encode(&format!(
                r#"{{"alg":"ES256","kid":{kid},"typ":"countersign-login+jwt"}}"#
            ))
        };
        for bad in ["null", r#""""#, r#""first""#, &format!(r#""{kid}=""#)] {
            assert_eq!(read(&named(bad)), Err(HeaderError::KeyId), "{bad}");
        }
        let good = header(alg, typ, "");
        for bad in [
            String::new(),
            "*".to_owned(),
            format!("{good}="),
            format!(" {good}"),
            encode("[\"ES256\"]"),
            encode("null"),
        ] {
            assert_eq!(read(&bad), Err(HeaderError::Malformed), "{bad}");
        }
    }
}
