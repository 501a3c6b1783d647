use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::object::utf8;
use super::syntax::{self, Node, Value};
use super::write::{LargeIntegers, canonical};
use super::{CanonicalError, CanonicalObject, Limits};

/// The members of a request's JSON object, each as it was written.
///
/// A member that is never read only has to be JSON: it may hold huge integers and duplicate keys.
/// The names of the members themselves are checked: they must be unique and contain no lone
/// surrogate. Nesting is limited to 128 levels everywhere.
pub struct Members<'a>(BTreeMap<Cow<'a, str>, RawJson<'a>>);

impl<'a> Members<'a> {
    /// Parses the JSON object (RFC 8259) in a request's body. The length of `body` is not limited
    /// here.
    ///
    /// # Errors
    ///
    /// Fails if `body` is not a JSON object with unique, valid names, or is nested too deeply.
    pub fn parse(body: &'a [u8]) -> Result<Self, CanonicalError> {
        let Node { at, value } = syntax::parse(utf8(body)?)?;
        let Value::Object(list) = value else {
            return Err(CanonicalError::NotAnObject { at });
        };
        let mut members = BTreeMap::new();
        for (name, node) in list {
            let at = name.at;
            if members
                .insert(name.into_unicode()?, RawJson(node))
                .is_some()
            {
                return Err(CanonicalError::DuplicateKey { at });
            }
        }
        Ok(Self(members))
    }

    /// Returns the member called `name`, including one that is `null`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson<'a>> {
        self.0.get(name)
    }

    /// Returns the string called `name`, or `None` if the member is missing or `null`.
    ///
    /// # Errors
    ///
    /// Fails if the member is not a string.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>, CanonicalError> {
        self.present(name).map(RawJson::to_text).transpose()
    }

    /// Returns the object called `name` in canonical form, or `None` if the member is missing or
    /// `null`.
    ///
    /// # Errors
    ///
    /// Fails if the member is not an object, exceeds `limits` or has no canonical form.
    pub fn object(
        &self,
        name: &str,
        limits: Limits,
    ) -> Result<Option<CanonicalObject>, CanonicalError> {
        self.present(name)
            .map(|json| json.to_canonical(limits))
            .transpose()
    }

    fn present(&self, name: &str) -> Option<&RawJson<'a>> {
        self.get(name).filter(|json| json.kind() != JsonKind::Null)
    }
}

/// Shows the number of members, not their content.
impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({})", self.0.len())
    }
}

/// A JSON value that is syntactically valid but not interpreted yet.
pub struct RawJson<'a>(Node<'a>);

impl<'a> RawJson<'a> {
    #[must_use]
    pub fn kind(&self) -> JsonKind {
        match &self.0.value {
            Value::Null => JsonKind::Null,
            Value::Boolean(_) => JsonKind::Boolean,
            Value::Number(_) => JsonKind::Number,
            Value::String(_) => JsonKind::String,
            Value::Array(_) => JsonKind::Array,
            Value::Object(_) => JsonKind::Object,
        }
    }

    /// Returns the unescaped string, borrowed from the request if nothing was escaped.
    ///
    /// # Errors
    ///
    /// Fails if the value is not a string, or not a Unicode one.
    pub fn to_text(&self) -> Result<Cow<'a, str>, CanonicalError> {
        match &self.0.value {
            Value::String(text) => text.unicode().cloned(),
            _ => Err(CanonicalError::NotAString { at: self.0.at }),
        }
    }

    /// Returns the boolean, or `None` if the value is not one.
    #[must_use]
    pub const fn as_boolean(&self) -> Option<bool> {
        match self.0.value {
            Value::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// Converts the object to canonical form.
    ///
    /// # Errors
    ///
    /// Fails if the value is not an object, exceeds `limits` or has no canonical form.
    pub fn to_canonical(&self, limits: Limits) -> Result<CanonicalObject, CanonicalError> {
        canonical(&self.0, limits, LargeIntegers::Refused).map(CanonicalObject)
    }
}

/// Shows the kind of the value, not its content.
impl fmt::Debug for RawJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({})", self.kind())
    }
}

/// The kinds of JSON value (RFC 8259, section 3). `Display` writes the name with its article, as in
/// "must be a string and is a number".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl fmt::Display for JsonKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}
