//! Where a service is called.
//!
//! Source: "AWS service endpoints", AWS General Reference; the partitions are those of the SDK, which a test
//! compares.

use aws_types::SdkConfig;
use aws_types::service_config::ServiceConfigKey;

use super::Service;

/// The domains of partitions, by the start of their regions' names.
const PARTITIONS: [(&str, &str); 6] = [
    ("cn-", "amazonaws.com.cn"),
    ("us-isob-", "sc2s.sgov.gov"),
    ("us-isof-", "csp.hci.ic.gov"),
    ("us-iso-", "c2s.ic.gov"),
    ("eu-isoe-", "cloud.adc-e.uk"),
    ("eusc-", "amazonaws.eu"),
];

/// The domain of all other regions.
const DOMAIN: &str = "amazonaws.com";

/// Returns the URL at which a service is called: the one that was set, or the region's.
pub(super) fn of(service: Service, sdk: &SdkConfig) -> String {
    if let Some(url) = its_own(service.id, sdk) {
        return url;
    }
    if let Some(url) = sdk.endpoint_url() {
        return url.to_owned();
    }
    let service = service.name;
    let region = sdk.region().map_or("", AsRef::as_ref);
    let partition = PARTITIONS
        .iter()
        .find(|(start, _)| region.starts_with(start));
    let domain = partition.map_or(DOMAIN, |(_, domain)| domain);
    let fips = if sdk.use_fips().unwrap_or_default() {
        "-fips"
    } else {
        ""
    };
    format!("https://{service}{fips}.{region}.{domain}")
}

/// Returns the URL that a variable or the profile sets for one service, for example
/// `AWS_ENDPOINT_URL_DYNAMODB`. A URL that the program sets for all services comes first.
///
/// Source: "Service-specific endpoints", AWS SDKs and Tools Reference Guide.
fn its_own(id: &str, sdk: &SdkConfig) -> Option<String> {
    if sdk.get_origin("endpoint_url").is_client_config() {
        return None;
    }
    let key = ServiceConfigKey::builder()
        .service_id(id)
        .env("AWS_ENDPOINT_URL")
        .profile("endpoint_url")
        .build();
    sdk.service_config()?.load_config(key.ok()?)
}
