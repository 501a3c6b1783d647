//! Schemas of strings that have a fixed set of values.

use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

/// Declares a type that serializes as a word of one of the domain's enums, and whose schema lists the
/// words of the enum's own table.
macro_rules! words {
    ($(#[doc = $doc:literal])+ $name:ident($source:ty)) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy)]
        pub(crate) struct $name(pub(crate) $source);

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.0.into_str())
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                let words = <$source as strum::VariantArray>::VARIANTS;
                let words: Vec<_> = words.iter().map(<$source>::into_str).collect();
                $crate::schema::words::one_of(concat!($($doc),+), &words)
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

pub(crate) use words;

/// Builds the schema of a string that is one of these words.
pub(crate) fn one_of(description: &str, words: &[&str]) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .description(Some(description.trim_start()))
        .enum_values(Some(words.iter().copied()))
        .into()
}
