//! Kinds of values in the JSON schemas of requests and answers.
//!
//! Assistants get a string as text by strangers, unless its schema says that this program wrote it or limits
//! it to certain words. So a new member is safe before anyone thinks of it.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

/// Marks values that this program or an operator wrote. In an object, this holds for all members.
pub(crate) const OURS: &str = "x-countersign-ours";

/// Marks members that an assistant gets only if its user asked for them.
pub(crate) const BY_OPTION: &str = "x-countersign-by-option";

/// A text that this program wrote.
pub(crate) struct Ours;

/// An object that this program or an operator wrote.
pub(crate) struct OurObject;

/// UTC, ISO 8601 with milliseconds.
pub(crate) struct Time;

/// One of the names of an enum.
pub(crate) struct NameOf<T>(PhantomData<T>);

/// JSON of the apps' servers.
pub(crate) struct CallersJson;

impl JsonSchema for Ours {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Ours".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", OURS: true })
    }
}

impl JsonSchema for OurObject {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "OurObject".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", OURS: true })
    }
}

impl JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

impl<T> JsonSchema for NameOf<T>
where
    T: strum::VariantArray + Copy + Into<&'static str>,
{
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "NameOf".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = T::VARIANTS.iter().map(|it| (*it).into()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

impl JsonSchema for CallersJson {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "CallersJson".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ BY_OPTION: true })
    }
}

/// Returns the schema of the JSON that a type is read from, without references.
pub(crate) fn of_input<T: JsonSchema>() -> Value {
    generate::<T>(schemars::generate::SchemaSettings::draft2020_12())
}

/// Returns the schema of the JSON that a type is written as, without references.
pub(crate) fn of_output<T: JsonSchema>() -> Value {
    generate::<T>(schemars::generate::SchemaSettings::draft2020_12().for_serialize())
}

fn generate<T: JsonSchema>(mut settings: schemars::generate::SchemaSettings) -> Value {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    settings.into_generator().into_root_schema_for::<T>().into()
}
