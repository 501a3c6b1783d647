//! The description of the API (`OpenAPI` 3.1), made from the code.

use std::sync::LazyLock;

use utoipa::openapi::OpenApi;

/// The description.
#[must_use]
pub fn openapi() -> OpenApi {
    OpenApi::default()
}

/// The description as `GET /openapi.json` answers it and `docs/openapi.json` holds it: indented,
/// with a final newline.
#[must_use]
pub fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| {
        let mut text = serde_json::to_string_pretty(&openapi()).unwrap_or_default();
        text.push('\n');
        text
    });
    &JSON
}
