use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::CanonicalError;
use super::object::utf8;
use super::syntax::{self, Node, Value};

/// The members of a request's JSON object, each in its original form.
///
/// A member that is never read only has to be valid JSON: it may contain huge integers and
/// duplicate keys. The names of the members themselves are checked: they must be unique and contain
/// no lone surrogate. Nesting is limited to 128 levels everywhere.
pub struct Members<'a>(BTreeMap<Cow<'a, str>, Node<'a>>);

impl<'a> Members<'a> {
    /// Parses the JSON object (RFC 8259) in a request's body. The length of `body` is not limited
    /// here.
    ///
    /// # Errors
    ///
    /// Fails if `body` is not a JSON object with unique, valid names, or is nested too deeply.
    pub fn parse(body: &'a [u8]) -> Result<Self, CanonicalError> {
        let node = syntax::parse(utf8(body)?)?;
        let Value::Object(list) = node.value()? else {
            return Err(CanonicalError::NotAnObject { at: node.at() });
        };
        let mut members = BTreeMap::new();
        for (name, node) in list {
            if members.insert(name.unicode()?, node).is_some() {
                return Err(CanonicalError::DuplicateKey { at: name.at() });
            }
        }
        Ok(Self(members))
    }

    /// Returns the string called `name`, or `None` if the member is missing or `null`.
    ///
    /// # Errors
    ///
    /// Fails if the member is not a string, or not valid Unicode.
    pub fn text(&self, name: &str) -> Result<Option<Cow<'a, str>>, CanonicalError> {
        let Some(node) = self.0.get(name) else {
            return Ok(None);
        };
        match node.value()? {
            Value::Null => Ok(None),
            Value::String(text) => text.unicode().map(Some),
            _ => Err(CanonicalError::NotAString { at: node.at() }),
        }
    }
}

/// Shows the number of members but not their content.
impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({})", self.0.len())
    }
}
