use std::fmt;
use std::sync::Arc;

use base16ct::lower;
use countersign_domain::primitives::entropy::Entropy;
use http::HeaderValue;

/// How long an id of the platform's may be.
const LONGEST: usize = 128;

/// Names a request, in its answer (header `x-request-id`, member `requestId` of problems) and in
/// the log.
///
/// A host whose platform names requests puts one into the request's extensions; else it is made
/// here: `req_` and 24 hexadecimal digits. What a caller claims is never taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// A new random id.
    #[must_use]
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 12];
        entropy.fill(&mut bytes);
        Self(format!("req_{}", lower::encode_string(&bytes)).into())
    }

    /// The platform's id for the request: 1 to 128 visible ASCII characters, else nothing.
    #[must_use]
    pub fn of_platform(id: &str) -> Option<Self> {
        let fits = (1..=LONGEST).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_graphic());
        fits.then(|| Self(id.into()))
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> HeaderValue {
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
    fn is_made_of_chance_or_is_the_platforms() {
        let made = RequestId::generate(&Fixed);
        assert_eq!(made.as_str(), "req_a5a5a5a5a5a5a5a5a5a5a5a5");
        let id = "8f5a-1";
        assert_eq!(RequestId::of_platform(id).unwrap().header(), id);
        assert!(RequestId::of_platform(&"x".repeat(128)).is_some());
        for bad in ["", "a b", "a\nb", "é", &"x".repeat(129)] {
            assert_eq!(RequestId::of_platform(bad), None, "{bad:?}");
        }
    }
}
