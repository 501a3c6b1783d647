use std::fmt;

use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::CanonicalError;
use super::limits::Limits;
use super::syntax;
use super::write::{LargeIntegers, canonical};

/// A JSON object in canonical form, which receivers can parse and serialize without changing a
/// byte.
///
/// The [module](super) describes the form. Store, sign and send [`as_str`](Self::as_str) unchanged.
/// `Debug` shows only the length, because metadata may contain anything.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct CanonicalObject(pub(super) String);

impl CanonicalObject {
    /// Parses a JSON object and converts it to canonical form. The length of `json` itself is not
    /// limited here.
    ///
    /// # Errors
    ///
    /// Fails if `json` is not a JSON object, exceeds `limits` or has no canonical form.
    pub fn parse(json: impl AsRef<[u8]>, limits: Limits) -> Result<Self, CanonicalError> {
        let node = syntax::parse(utf8(json.as_ref())?)?;
        canonical(&node, limits, LargeIntegers::Refused).map(Self)
    }

    /// Writes a struct in canonical form, whatever the order of its fields.
    ///
    /// # Panics
    ///
    /// Panics if the value cannot be serialized as an object, for example because of keys that are not strings.
    #[must_use]
    #[expect(
        clippy::expect_used,
        reason = "a struct of texts always has a canonical form"
    )]
    pub fn from_body(body: &impl Serialize) -> Self {
        let json = serde_json::to_string(body).expect("a struct of texts has a JSON form");
        let node = syntax::parse(&json).expect("serde_json writes JSON");
        canonical(&node, Limits::NONE, LargeIntegers::Doubles)
            .map(Self)
            .expect("a struct is an object without repeated names")
    }

    /// Serializes the object as an object, whereas the stored form is a string that contains it.
    ///
    /// # Errors
    ///
    /// Fails if the serializer does.
    pub fn inline<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let object = RawValue::from_string(self.0.clone()).map_err(S::Error::custom)?;
        object.serialize(serializer)
    }

    /// Returns the empty object, `{}`.
    #[must_use]
    pub fn empty() -> Self {
        Self("{}".to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Converts the object into its canonical text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Checks that a text is canonical byte for byte.
///
/// Unlike [`CanonicalObject::parse`], this accepts integer literals beyond 2^53-1 that are the
/// canonical form of a double, because `1e20` becomes such a literal. Only the depth is limited.
impl TryFrom<String> for CanonicalObject {
    type Error = CanonicalError;

    fn try_from(text: String) -> Result<Self, CanonicalError> {
        let again = canonical(&syntax::parse(&text)?, Limits::NONE, LargeIntegers::Doubles)?;
        if again == text {
            Ok(Self(text))
        } else {
            Err(CanonicalError::NotCanonical)
        }
    }
}

/// Returns [`CanonicalObject::empty`].
impl Default for CanonicalObject {
    fn default() -> Self {
        Self::empty()
    }
}

impl fmt::Debug for CanonicalObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CanonicalObject({} bytes)", self.0.len())
    }
}

pub(super) fn utf8(bytes: &[u8]) -> Result<&str, CanonicalError> {
    std::str::from_utf8(bytes).map_err(|error| CanonicalError::NotUtf8 {
        at: error.valid_up_to(),
    })
}
