//! The files of a link host, read as phones read them.

use serde_json::{Map, Value};
use thiserror::Error;

use super::{AndroidApp, IosAppId};

/// The relation that lets an Android app open all links of a host.
const HANDLE_ALL_URLS: &str = "delegate_permission/common.handle_all_urls";

/// A session id like those in links.
const SAMPLE_ID: &str = "qrs_00112233445566778899aabbccddeeff";

/// Why phones do not open a host's links in an app.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinkFileFault {
    #[error("it is not a list of statements in JSON")]
    NoStatements,
    #[error("it is not JSON with `applinks` and `details`")]
    NoDetails,
    #[error("it does not name {0}")]
    AppMissing(String),
    #[error("it names {package}, but not with the certificate {fingerprint}")]
    CertificateMissing {
        package: String,
        fingerprint: String,
    },
    /// Android compares the characters.
    #[error("it has the certificate of {package} in another form: write {fingerprint}")]
    OtherForm {
        package: String,
        fingerprint: String,
    },
    #[error("it names {0}, but none of its patterns allows links such as /?sessionId=qrs_…")]
    LinkNotCovered(String),
}

/// Checks that an `assetlinks.json` lets Android open the links in each of these apps.
///
/// # Errors
/// Fails with the first fault.
pub fn check_asset_links(file: &[u8], apps: &[AndroidApp]) -> Result<(), LinkFileFault> {
    let Ok(Value::Array(statements)) = serde_json::from_slice(file) else {
        return Err(LinkFileFault::NoStatements);
    };
    for app in apps {
        let package = app.package.as_str();
        let listed: Vec<&str> = statements
            .iter()
            .filter(|statement| is_about(statement, package))
            .flat_map(|statement| strings(&statement["target"]["sha256_cert_fingerprints"]))
            .collect();
        if !statements
            .iter()
            .any(|statement| is_about(statement, package))
        {
            return Err(LinkFileFault::AppMissing(package.to_owned()));
        }
        for fingerprint in &app.fingerprints {
            let (package, fingerprint) = (package.to_owned(), fingerprint.to_string());
            if listed.contains(&fingerprint.as_str()) {
                continue;
            }
            let plain = |text: &str| text.replace(':', "").to_ascii_uppercase();
            let is_other_form = |text: &&str| plain(text) == plain(&fingerprint);
            return Err(if listed.iter().any(is_other_form) {
                LinkFileFault::OtherForm {
                    package,
                    fingerprint,
                }
            } else {
                LinkFileFault::CertificateMissing {
                    package,
                    fingerprint,
                }
            });
        }
    }
    Ok(())
}

fn is_about(statement: &Value, package: &str) -> bool {
    let target = &statement["target"];
    strings(&statement["relation"]).any(|relation| relation == HANDLE_ALL_URLS)
        && target["namespace"] == "android_app"
        && target["package_name"] == package
}

/// Returns the texts of a list; nothing if it is not a list.
fn strings(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Checks that an `apple-app-site-association` lets iOS open the links in each of these apps.
///
/// # Errors
/// Fails with the first fault.
pub fn check_site_association(file: &[u8], apps: &[IosAppId]) -> Result<(), LinkFileFault> {
    let file: Value = serde_json::from_slice(file).unwrap_or_default();
    let Value::Array(details) = &file["applinks"]["details"] else {
        return Err(LinkFileFault::NoDetails);
    };
    for app in apps {
        let mut entries = details.iter().filter(|entry| {
            let one = entry["appID"].as_str().into_iter();
            one.chain(strings(&entry["appIDs"]))
                .any(|id| id == app.as_str())
        });
        let Some(first) = entries.next() else {
            return Err(LinkFileFault::AppMissing(app.as_str().to_owned()));
        };
        if !covers_links(first) && !entries.any(covers_links) {
            return Err(LinkFileFault::LinkNotCovered(app.as_str().to_owned()));
        }
    }
    Ok(())
}

/// Returns whether an entry allows login links. The first matching pattern decides; `paths` is the form before iOS 13.
fn covers_links(entry: &Value) -> bool {
    if let Value::Array(components) = &entry["components"] {
        let mut components = components.iter().filter_map(Value::as_object);
        let first = components.find(|component| is_matched(component));
        return first.is_some_and(|component| {
            component.get("exclude").and_then(Value::as_bool) != Some(true)
        });
    }
    let mut paths = strings(&entry["paths"]);
    let first = paths.find(|path| fits(path.strip_prefix("NOT ").unwrap_or(path), "/"));
    first.is_some_and(|path| !path.starts_with("NOT "))
}

fn is_matched(component: &Map<String, Value>) -> bool {
    let text_fits = |part: &str, text: &str| match component.get(part) {
        None => true,
        Some(pattern) => pattern.as_str().is_some_and(|pattern| fits(pattern, text)),
    };
    let query_fits = match component.get("?") {
        Some(Value::Object(items)) => items.iter().all(|(name, pattern)| {
            let pattern = pattern.as_str().unwrap_or_default();
            name == "sessionId" && fits(pattern, SAMPLE_ID)
        }),
        _ => text_fits("?", &format!("sessionId={SAMPLE_ID}")),
    };
    text_fits("/", "/") && query_fits && text_fits("#", "")
}

/// Matches a text with a pattern, in which `*` stands for any characters and `?` for one. Takes time for each pair of
/// characters at most, whatever the pattern.
fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<_>, Vec<_>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut read) = (0, 0);
    // The place after the last `*`, and the first character that it does not stand for.
    let mut star = None;
    while read < text.len() {
        match (pattern.get(at), star) {
            (Some('*'), _) => {
                at += 1;
                star = Some((at, read));
            }
            (Some(one), _) if *one == '?' || *one == text[read] => {
                at += 1;
                read += 1;
            }
            (_, Some((after, from))) => {
                star = Some((after, from + 1));
                (at, read) = (after, from + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[at..].iter().all(|one| *one == '*')
}

#[cfg(test)]
mod tests;
