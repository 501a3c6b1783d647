//! The schema of `metadata`, the only free-form object of the API.

use std::borrow::Cow;

use serde_json::json;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::CanonicalObject;

impl PartialSchema for CanonicalObject {
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

impl ToSchema for CanonicalObject {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Metadata")
    }
}
