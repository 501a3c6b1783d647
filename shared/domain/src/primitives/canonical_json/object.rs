use std::collections::BTreeMap;
use std::fmt;

use super::CanonicalError;
use super::key::Key;
use super::limits::Limits;
use super::syntax;
use super::write::{LargeIntegers, canonical, write_key, write_string};

/// A JSON object in canonical form: no receiver that re-serialises it gets other bytes.
///
/// The form is described at the [module](super). Store, sign and send [`as_str`](Self::as_str) as
/// it is. `Debug` shows the length alone, since metadata may hold anything.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct CanonicalObject(pub(super) String);

impl CanonicalObject {
    /// Brings a JSON object into canonical form.
    ///
    /// The length of `json` itself is not bounded here.
    pub fn parse(json: impl AsRef<[u8]>, limits: Limits) -> Result<Self, CanonicalError> {
        let node = syntax::parse(utf8(json.as_ref())?)?;
        canonical(&node, limits, LargeIntegers::Refused).map(Self)
    }

    /// `{}`.
    #[must_use]
    pub fn empty() -> Self {
        Self("{}".to_owned())
    }

    /// Takes back what [`as_str`](Self::as_str) gave, unchecked: for stores that read their own
    /// writing. Text from anywhere else goes through [`parse`](Self::parse), or through
    /// [`TryFrom`] where it has to be canonical already.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        debug_assert!(
            Self::try_from(text.clone()).is_ok(),
            "stored text is not canonical"
        );
        Self(text)
    }

    /// The canonical text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The canonical text, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Checks that a text is in canonical form to the byte.
///
/// Unlike [`CanonicalObject::parse`] it takes integer literals beyond 2^53-1 where they are what
/// a double prints, because that is what became of `1e20`; and it has no limits but that of depth.
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

/// [`CanonicalObject::empty`].
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

/// Writes a canonical object member by member, in whatever order they are given.
///
/// ```
/// use countersign_domain::primitives::canonical_json::{CanonicalObject, ObjectWriter};
///
/// let body = ObjectWriter::new()
///     .string("phoneNumber", "+12025550100")
///     .object("metadata", &CanonicalObject::empty())
///     .finish();
/// assert_eq!(body.as_str(), r#"{"metadata":{},"phoneNumber":"+12025550100"}"#);
/// ```
#[derive(Default)]
pub struct ObjectWriter(BTreeMap<Key<'static>, String>);

impl ObjectWriter {
    /// A writer of `{}` so far.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a string. Of a key given twice the last value counts.
    #[must_use]
    pub fn string(self, key: &'static str, value: &str) -> Self {
        let mut text = String::with_capacity(value.len() + 2);
        write_string(&mut text, value);
        self.member(key, text)
    }

    /// Adds an object. Of a key given twice the last value counts.
    #[must_use]
    pub fn object(self, key: &'static str, value: &CanonicalObject) -> Self {
        self.member(key, value.0.clone())
    }

    /// The whole.
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

/// Shows how many members there are, not what they hold.
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
