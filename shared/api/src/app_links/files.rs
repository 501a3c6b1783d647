//! The files' shapes.

use countersign_domain::app::login::{AndroidApp, IosAppId};
use serde::Serialize;
use utoipa::ToSchema;

/// A statement of Android's Digital Asset Links (statement list syntax): the app may open all links
/// of the host.
#[derive(Serialize, ToSchema)]
pub(crate) struct AssetLink<'a> {
    /// `delegate_permission/common.handle_all_urls`.
    #[schema(examples("delegate_permission/common.handle_all_urls"))]
    relation: [&'static str; 1],
    /// The app.
    target: AndroidTarget<'a>,
}

/// An Android app, by its name and by who signs it.
#[derive(Serialize, ToSchema)]
struct AndroidTarget<'a> {
    /// `android_app`.
    #[schema(examples("android_app"))]
    namespace: &'static str,
    /// The app's name.
    #[schema(examples("com.example.shop"))]
    package_name: &'a str,
    /// SHA-256 of each certificate that signs it, in pairs of capitals.
    sha256_cert_fingerprints: Vec<String>,
}

impl<'a> AssetLink<'a> {
    pub(super) fn of(app: &'a AndroidApp) -> Self {
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
    /// Links.
    applinks: AppLinks<'a>,
}

/// The apps that open links.
#[derive(Serialize, ToSchema)]
struct AppLinks<'a> {
    /// All apps with the same links together.
    details: Vec<AppLinkDetails<'a>>,
}

/// Apps, and which links are theirs.
#[derive(Serialize, ToSchema)]
struct AppLinkDetails<'a> {
    /// The apps, as `TEAM.bundle`.
    #[serde(rename = "appIDs")]
    #[schema(examples("ABCDE12345.com.example.shop"))]
    app_ids: Vec<&'a str>,
    /// Which links: those of `/` with a `sessionId` that is not empty.
    // The members' names, which are Apple's, are none in most languages that clients are
    // generated in.
    #[schema(value_type = Vec<Object>)]
    components: [LinkComponent; 1],
}

/// A pattern for links.
#[derive(Serialize)]
struct LinkComponent {
    /// The path.
    #[serde(rename = "/")]
    path: &'static str,
    /// The query.
    #[serde(rename = "?")]
    query: LinkQuery,
}

/// A pattern for a link's query.
#[derive(Serialize)]
struct LinkQuery {
    /// At least one character.
    #[serde(rename = "sessionId")]
    session_id: &'static str,
}

impl<'a> SiteAssociation<'a> {
    pub(super) fn of(apps: impl Iterator<Item = &'a IosAppId>) -> Self {
        let app_ids: Vec<_> = apps.map(IosAppId::as_str).collect();
        let details = AppLinkDetails {
            app_ids,
            components: [LinkComponent {
                path: "/",
                query: LinkQuery { session_id: "?*" },
            }],
        };
        // Without an app there is nothing to say of links.
        let details = Some(details).filter(|details| !details.app_ids.is_empty());
        Self {
            applinks: AppLinks {
                details: details.into_iter().collect(),
            },
        }
    }
}
