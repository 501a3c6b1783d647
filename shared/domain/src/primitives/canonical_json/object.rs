use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::CanonicalError;
use super::key::Key;
use super::limits::Limits;
use super::syntax;
use super::write::{LargeIntegers, canonical, write_key, write_string};

/// A JSON object in canonical form, which receivers can parse and serialise without changing a
/// byte.
///
/// The [module](super) describes the form. Store, sign and send [`as_str`](Self::as_str) unchanged.
/// `Debug` shows only the length, since metadata may hold anything.
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
/// Unlike [`CanonicalObject::parse`], this accepts integer literals beyond 2^53-1 that are spelt as
/// a double is written, because `1e20` becomes such a literal. It limits nothing but the depth.
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

/// Writes a canonical object from members given in any order.
#[derive(Default)]
pub struct ObjectWriter(BTreeMap<Key<'static>, String>);

impl ObjectWriter {
    /// Creates a writer of an empty object.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a string. The last value of a repeated key wins.
    #[must_use]
    pub fn string(self, key: &'static str, value: &str) -> Self {
        let mut text = String::with_capacity(value.len() + 2);
        write_string(&mut text, value);
        self.member(key, text)
    }

    /// Adds an object. The last value of a repeated key wins.
    #[must_use]
    pub fn object(self, key: &'static str, value: &CanonicalObject) -> Self {
        self.member(key, value.0.clone())
    }

    /// Adds a Boolean. The last value of a repeated key wins.
    #[must_use]
    pub fn boolean(self, key: &'static str, value: bool) -> Self {
        self.member(key, value.to_string())
    }

    #[must_use]
    pub fn finish(self) -> CanonicalObject {
        let mut out = String::from("{");
        for (position, (key, value)) in self.0.iter().enumerate() {
            write_key(&mut out, position, key);
            out.push_str(value);
        }
        out.push('}');
        CanonicalObject(out)
    }

    fn member(mut self, key: &'static str, value: String) -> Self {
        self.0.insert(Key::from(key), value);
        self
    }
}

/// Shows the number of members, not their content.
impl fmt::Debug for ObjectWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectWriter({} members)", self.0.len())
    }
}

pub(super) fn utf8(bytes: &[u8]) -> Result<&str, CanonicalError> {
    std::str::from_utf8(bytes).map_err(|error| CanonicalError::NotUtf8 {
        at: error.valid_up_to(),
    })
}
