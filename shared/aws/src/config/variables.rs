//! Reads a struct from environment variables with serde.

use std::cell::Cell;
use std::fmt::Display;

use serde::de::value::MapDeserializer;
use serde::de::{
    self, DeserializeOwned, Deserializer, Expected, IntoDeserializer, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use thiserror::Error;

use super::ConfigError;

/// Reads each field of a struct from the variable with the same name in capitals after `prefix`. An
/// empty variable counts as absent, which is only allowed for an `Option`.
///
/// # Errors
/// Fails if any variables are missing or malformed, and lists all of them.
pub fn read<T: DeserializeOwned>(
    prefix: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<T, ConfigError> {
    let fields = Cell::new(&[][..]);
    let read = |only| {
        T::deserialize(Variables {
            prefix,
            variable,
            fields: &fields,
            only,
        })
    };
    // serde stops at the first error, so the others are found by reading one field at a time.
    read(None).map_err(|_| {
        let faults = fields
            .get()
            .iter()
            .filter_map(|field| match read(Some(*field)) {
                Err(Fault::OtherField) | Ok(_) => None,
                Err(fault) => Some(fault),
            });
        ConfigError(faults.collect())
    })
}

/// One invalid variable. Never contains its text, which might be a secret in the wrong variable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Fault {
    #[error("{0} is missing")]
    Missing(String),
    #[error("{name} is {cause}")]
    Malformed { name: String, cause: String },
    /// The field was skipped because only another one is read.
    #[error("not read")]
    OtherField,
}

impl de::Error for Fault {
    fn custom<T: Display>(cause: T) -> Self {
        Self::Malformed {
            name: String::new(),
            cause: cause.to_string(),
        }
    }

    // The default implementations of these two show the text.
    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("not {expected}"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("not {expected}"))
    }

    fn missing_field(_: &'static str) -> Self {
        Self::OtherField
    }
}

/// The environment variables for the fields of a struct.
struct Variables<'a> {
    prefix: &'a str,
    variable: &'a dyn Fn(&str) -> Option<String>,
    /// Set to the names of the struct's fields.
    fields: &'a Cell<&'static [&'static str]>,
    /// The only field to read, or `None` to read all.
    only: Option<&'static str>,
}

impl<'de> Deserializer<'de> for Variables<'_> {
    type Error = Fault;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.fields.set(fields);
        let read = fields
            .iter()
            .filter(|field| self.only.is_none_or(|only| only == **field));
        visitor.visit_map(MapDeserializer::new(read.map(|field| {
            let name = format!("{}{}", self.prefix, field.to_uppercase());
            let text = (self.variable)(&name).filter(|text| !text.is_empty());
            (*field, Variable { name, text })
        })))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Fault> {
        Err(de::Error::custom("not a struct"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// One variable.
struct Variable {
    name: String,
    text: Option<String>,
}

impl IntoDeserializer<'_, Fault> for Variable {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Variable {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let Some(text) = self.text else {
            return Err(Fault::Missing(self.name));
        };
        visitor.visit_string(text).map_err(|fault| match fault {
            Fault::Malformed { cause, .. } => Fault::Malformed {
                name: self.name,
                cause,
            },
            other => other,
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.text.is_some() {
            visitor.visit_some(self)
        } else {
            visitor.visit_none()
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
