//! The formats of Android and iOS for the apps that open a host's links.

use countersign_domain::app::login::{AndroidApp, IosAppId};
use serde::Serialize;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A statement of Android's Digital Asset Links (statement list syntax): the app may open all links
/// of the host.
#[derive(Serialize, ToSchema)]
pub(crate) struct AssetLink<'a> {
    /// The permission: `delegate_permission/common.handle_all_urls`.
    #[schema(examples("delegate_permission/common.handle_all_urls"))]
    relation: [&'static str; 1],
    /// The app.
    target: AndroidTarget<'a>,
}

/// An Android app, identified by its name and its certificates.
#[derive(Serialize, ToSchema)]
struct AndroidTarget<'a> {
    /// The kind of target: `android_app`.
    #[schema(examples("android_app"))]
    namespace: &'static str,
    /// The app's package name.
    #[schema(examples("com.example.shop"))]
    package_name: &'a str,
    /// SHA-256 of each certificate that signs the app, as pairs of capital hexadecimal digits.
    sha256_cert_fingerprints: Vec<String>,
}

impl<'a> AssetLink<'a> {
    /// Creates the statement about an app.
    pub(super) fn new(app: &'a AndroidApp) -> Self {
        let fingerprints = app.fingerprints.iter();
        Self {
            relation: ["delegate_permission/common.handle_all_urls"],
            target: AndroidTarget {
                namespace: "android_app",
                package_name: app.package.as_str(),
                sha256_cert_fingerprints: fingerprints.map(ToString::to_string).collect(),
            },
        }
    }
}

/// Apple's site association ("Supporting associated domains"): which apps open which links.
#[derive(Serialize, ToSchema)]
pub(crate) struct SiteAssociation<'a> {
    /// The links.
    applinks: AppLinks<'a>,
}

/// The apps that open links.
#[derive(Serialize, ToSchema)]
struct AppLinks<'a> {
    /// Apps that open the same links are in one entry.
    details: Vec<AppLinkDetails<'a>>,
}

/// Apps, and the links that they open.
#[derive(Serialize, ToSchema)]
struct AppLinkDetails<'a> {
    /// The apps, as `TEAM.bundle`.
    #[serde(rename = "appIDs")]
    #[schema(examples("ABCDE12345.com.example.shop"))]
    app_ids: Vec<&'a str>,
    /// The links: those to `/` with a `sessionId` that is not empty.
    components: [LinkComponent; 1],
}

/// A pattern for links.
#[derive(Serialize)]
struct LinkComponent {
    /// The pattern for the path.
    #[serde(rename = "/")]
    path: &'static str,
    /// The patterns for the query.
    #[serde(rename = "?")]
    query: LinkQuery,
}

/// Patterns for a link's query.
#[derive(Serialize)]
struct LinkQuery {
    /// The pattern for `sessionId`: at least one character.
    #[serde(rename = "sessionId")]
    session_id: &'static str,
}

/// Described as an unspecified object, since Apple's names for its members, `/` and `?`, are not
/// valid identifiers in most languages of generated clients.
impl PartialSchema for LinkComponent {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(SchemaType::Type(Type::Object))
            .description(Some(
                "A pattern for links: `/` for the path, `?` for the query.",
            ))
            .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
            .into()
    }
}

impl ToSchema for LinkComponent {}

impl<'a> SiteAssociation<'a> {
    /// Creates the file for these apps.
    pub(super) fn new(apps: impl Iterator<Item = &'a IosAppId>) -> Self {
        let app_ids: Vec<_> = apps.map(IosAppId::as_str).collect();
        let details = AppLinkDetails {
            app_ids,
            components: [LinkComponent {
                path: "/",
                query: LinkQuery { session_id: "?*" },
            }],
        };
        // Without apps there are no links to describe.
        let details = Some(details).filter(|details| !details.app_ids.is_empty());
        Self {
            applinks: AppLinks {
                details: details.into_iter().collect(),
            },
        }
    }
}
