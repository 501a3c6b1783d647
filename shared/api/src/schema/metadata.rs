//! The schema of `metadata`, the one free object of the API.

use serde_json::json;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{OneOfBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The schema of `metadata`: any object.
pub(crate) struct Metadata;

impl PartialSchema for Metadata {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Object))
            .description(Some(
                "Your own data, returned in the webhook: at most 50 keys, 16 levels, and 4,096 \
                 bytes in canonical form.",
            ))
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
            .max_properties(Some(50))
            .examples([json!({"orderId": "17"})])
            .into()
    }
}

impl ToSchema for Metadata {}

/// Builds the schema of `metadata` in a request, where `null` counts as absent.
pub(crate) fn or_null() -> Schema {
    OneOfBuilder::new()
        .description(Some("Your own data, returned in the webhook."))
        .item(Ref::from_schema_name("Metadata"))
        .item(ObjectBuilder::new().schema_type(SchemaType::Type(Type::Null)))
        .build()
        .into()
}
