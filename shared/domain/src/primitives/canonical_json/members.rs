use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::object::utf8;
use super::syntax::{self, Node, Value};
use super::write::{LargeIntegers, canonical};
use super::{CanonicalError, CanonicalObject, Limits};

/// The members of a request's JSON object, each still as it was written.
///
/// A member that nobody asks for has to be JSON and no more: it may hold huge integers and
/// duplicate keys. The names of the members themselves are judged: none may stand twice or hold
/// half of a surrogate pair. Whatever it is, nothing may nest deeper than 128.
pub struct Members<'a>(BTreeMap<Cow<'a, str>, RawJson<'a>>);

impl<'a> Members<'a> {
    /// Reads a JSON object (RFC 8259) out of a request's body.
    ///
    /// The length of `body` is not bounded here.
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

    /// The member called `name`, `null` included.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawJson<'a>> {
        self.0.get(name)
    }

    /// The string called `name`, or nothing where there is no such member or it is `null`.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>, CanonicalError> {
        self.present(name).map(RawJson::to_text).transpose()
    }

    /// The object called `name` in canonical form, or nothing where there is no such member or it
    /// is `null`.
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

/// Shows how many members there are, not what they hold.
impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({})", self.0.len())
    }
}

/// A JSON value whose grammar is proven and whose meaning is not judged yet.
pub struct RawJson<'a>(Node<'a>);

impl<'a> RawJson<'a> {
    /// What sort of value it is.
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

    /// The string it is, unescaped; borrowed from the request where nothing was escaped.
    pub fn to_text(&self) -> Result<Cow<'a, str>, CanonicalError> {
        match &self.0.value {
            Value::String(text) => text.unicode().cloned(),
            _ => Err(CanonicalError::NotAString { at: self.0.at }),
        }
    }

    /// The boolean it is, if it is one.
    #[must_use]
    pub const fn as_boolean(&self) -> Option<bool> {
        match self.0.value {
            Value::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The object it is, in canonical form.
    pub fn to_canonical(&self, limits: Limits) -> Result<CanonicalObject, CanonicalError> {
        canonical(&self.0, limits, LargeIntegers::Refused).map(CanonicalObject)
    }
}

/// Shows the kind, not the content.
impl fmt::Debug for RawJson<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({})", self.kind())
    }
}

/// The sorts of JSON value (RFC 8259, section 3). `Display` names one with its article, as in
/// "must be a string and is a number".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
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
