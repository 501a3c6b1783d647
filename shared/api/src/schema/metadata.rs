//! The schema of `metadata` in requests.

use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{OneOfBuilder, Ref, Schema};

/// Builds the schema of `metadata` in a request, where `null` counts as absent.
pub(crate) fn or_null() -> Schema {
    OneOfBuilder::new()
        .description(Some("Your own data, returned in the webhook."))
        .item(Ref::from_schema_name("Metadata"))
        .item(ObjectBuilder::new().schema_type(SchemaType::Type(Type::Null)))
        .build()
        .into()
}
