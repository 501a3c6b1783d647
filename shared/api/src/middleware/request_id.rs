//! Ids of requests.

use std::fmt;
use std::sync::Arc;

use base16ct::lower;
use countersign_domain::primitives::entropy::Entropy;
use http::HeaderValue;

/// Maximum length of an id that a platform assigns, in bytes.
const MAX_BYTES: usize = 128;

/// A request's id, in its answer (header `x-request-id`, member `requestId` of problems) and in the
/// log.
///
/// A host whose platform assigns ids to requests adds one to the request's extensions. Otherwise
/// the middleware generates one: `req_` and 24 hexadecimal digits. Ids that callers send are
/// ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Generates a random id.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 12];
        entropy.fill(&mut bytes);
        Self(format!("req_{}", lower::encode_string(&bytes)).into())
    }

    /// Returns the platform's id, if it has 1 to 128 characters, all visible ASCII.
    #[must_use]
    pub fn of_platform(id: &str) -> Option<Self> {
        let fits = (1..=MAX_BYTES).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_graphic());
        fits.then(|| Self(id.into()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the value of the header `x-request-id`.
    pub(super) fn header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).unwrap_or(HeaderValue::from_static("-"))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Entropy for Fixed {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(0xa5);
        }
    }

    #[test]
    fn generated_id_is_hexadecimal() {
        let id = RequestId::generate(&Fixed);
        assert_eq!(id.as_str(), "req_a5a5a5a5a5a5a5a5a5a5a5a5");
    }

    #[test]
    fn platform_id_is_bounded_visible_ascii() {
        let id = "8f5a-1";
        assert_eq!(RequestId::of_platform(id).unwrap().header(), id);
        assert!(RequestId::of_platform(&"x".repeat(128)).is_some());
        for bad in ["", "a b", "a\nb", "é", &"x".repeat(129)] {
            assert_eq!(RequestId::of_platform(bad), None, "{bad:?}");
        }
    }
}
