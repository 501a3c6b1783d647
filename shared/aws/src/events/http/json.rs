//! JSON that borrows its texts from the event.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value of an event. What a request has no use for is [`Json::Other`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json<'a> {
    /// A text, borrowed unless it has escapes.
    Text(Cow<'a, str>),
    True,
    List(Vec<Json<'a>>),
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
    Other,
}

impl<'a> Json<'a> {
    /// Returns a member of an object; the last one, if its name is there twice.
    pub(super) fn get(&self, name: &str) -> &Self {
        let found = self.members().iter().rev().find(|(known, _)| known == name);
        found.map_or(&Self::Other, |(_, value)| value)
    }

    /// Returns the members of an object.
    pub(super) fn members(&self) -> &[(Cow<'a, str>, Self)] {
        match self {
            Self::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Returns a text.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns a text, or the texts of a list.
    pub(super) fn texts(&self) -> impl DoubleEndedIterator<Item = &str> {
        let values = match self {
            Self::List(values) => values,
            value => std::slice::from_ref(value),
        };
        values.iter().filter_map(Self::text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Json<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json<'de>, E> {
        Ok(Json::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json<'de>, E> {
        Ok(if value { Json::True } else { Json::Other })
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json<'de>, E> {
        Ok(Json::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json<'de>, E> {
        Ok(Json::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json<'de>, E> {
        Ok(Json::Other)
    }

    fn visit_unit<E>(self) -> Result<Json<'de>, E> {
        Ok(Json::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json<'de>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element()? {
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json<'de>, A::Error> {
        // Most objects of events have fewer members, so they take one allocation.
        let mut members = Vec::with_capacity(16);
        while let Some(Name(name)) = object.next_key()? {
            members.push((name, object.next_value()?));
        }
        Ok(Json::Object(members))
    }
}

/// The name of a member. `Cow` itself would always be copied.
struct Name<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Name<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(Reader)? {
            Json::Text(name) => Ok(Self(name)),
            _ => Ok(Self(Cow::Borrowed(""))),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(text: &str) -> Json<'_> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn texts_are_borrowed_unless_they_have_escapes() {
        let event = read(r#"{"a":"plain","b":"es\u0063aped"}"#);
        assert!(matches!(event.get("a"), Json::Text(Cow::Borrowed("plain"))));
        assert!(matches!(event.get("b"), Json::Text(Cow::Owned(text)) if text == "escaped"));
        assert!(
            event
                .members()
                .iter()
                .all(|(name, _)| matches!(name, Cow::Borrowed(_)))
        );
    }

    #[test]
    fn values_of_other_types_are_absent() {
        let event =
            read(r#"{"a":[1,"x",null,"y",["z"]],"b":-1,"c":1.5,"d":false,"e":true,"f":"t"}"#);
        assert_eq!(event.get("a").texts().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(event.get("f").texts().collect::<Vec<_>>(), ["t"]);
        for name in ["b", "c", "d", "g"] {
            assert_eq!(event.get(name), &Json::Other, "{name}");
            assert_eq!(event.get(name).texts().count(), 0, "{name}");
        }
        assert_eq!(event.get("e"), &Json::True);
        assert_eq!(event.get("f").get("x"), &Json::Other);
    }

    #[test]
    fn last_of_two_members_counts() {
        assert_eq!(read(r#"{"a":"1","a":"2"}"#).get("a").text(), Some("2"));
    }
}
