//! Checks of an app's link host, as phones see it.

use clap::Args;
use countersign_domain::app::App;
use countersign_domain::app::login::IosAppId;
use countersign_domain::app::login::link_files::{
    LinkFileFault, check_asset_links, check_site_association,
};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::callback_url::{CallbackUrl, CallbackUrlError};
use countersign_domain::web::link_host::LinkHost;
use countersign_webhook::client::{Failure, SeenFile};
use countersign_webhook::resolver::LookupError;
use countersign_webhook::site::{Certificate, CertificateFault, SiteProbe};
use serde::{Deserialize, Serialize};

use super::request::{Answer, Request};
use super::{Admin, AdminError};

/// Maximum size of a file, in bytes: that of Apple's cache.
const MAX_FILE: usize = 128 * 1024;

const DNS: &str = "DNS";
const CERTIFICATE: &str = "Certificate";
const ASSET_LINKS: &str = "assetlinks.json";
const SITE_ASSOCIATION: &str = "apple-app-site-association";

/// The arguments of `app check-link`.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct CheckLinkHost {
    /// The app's name
    app: AppId,
}

/// The checks of a link host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckedLinkHost {
    /// `None` if the app has no link host.
    link_host: Option<String>,
    checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Check {
    name: String,
    ok: bool,
    sentence: String,
}

impl Check {
    fn good(name: &str, sentence: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            ok: true,
            sentence: sentence.into(),
        }
    }

    fn bad(name: &str, sentence: impl Into<String>) -> Self {
        Self {
            ok: false,
            ..Self::good(name, sentence)
        }
    }
}

impl Answer for CheckedLinkHost {
    fn text(&self) -> String {
        let width = self.checks.iter().map(|check| check.name.len()).max();
        let width = width.unwrap_or_default();
        let lines = self.checks.iter().map(|Check { name, ok, sentence }| {
            let state = if *ok { "ok " } else { "BAD" };
            format!("{state}  {name:<width$}  {sentence}")
        });
        let host = self.link_host.as_deref().unwrap_or("none");
        let lines: Vec<_> = lines.collect();
        format!("Link host: {host}\n\n{}", lines.join("\n"))
    }

    fn is_success(&self) -> bool {
        self.checks.iter().all(|check| check.ok)
    }
}

impl Request for CheckLinkHost {
    const NAME: &'static str = "check_link_host";
    const REACHES_OUT: bool = true;
    type Answer = CheckedLinkHost;

    async fn execute(self, admin: &Admin) -> Result<CheckedLinkHost, AdminError> {
        let app = admin.find_app(&self.app).await?;
        let Some(host) = &app.login.link_host else {
            let sentence = format!(
                "The app has no link host, so it can have no logins: `countersign app update {} --link-host \
                 login.shop.example`.",
                app.id
            );
            return Ok(CheckedLinkHost {
                link_host: None,
                checks: vec![Check::bad("Link host", sentence)],
            });
        };
        let probe = SiteProbe::new(admin.callbacks.clone(), admin.clock.clone());
        let probe = probe.map_err(|error| Unavailable::new("link host", error))?;
        Ok(CheckedLinkHost {
            link_host: Some(host.to_string()),
            checks: check(&probe, host, &app, admin.clock.now()).await,
        })
    }
}

async fn check(probe: &SiteProbe, host: &LinkHost, app: &App, now: Timestamp) -> Vec<Check> {
    let url = |file: &str| {
        let url = format!("{}://{host}/.well-known/{file}", host.scheme());
        CallbackUrl::from_stored(&url)
    };
    let (Ok(android), Ok(ios)) = (url(ASSET_LINKS), url(SITE_ASSOCIATION)) else {
        return vec![Check::bad(DNS, "The host is too long for a link.")];
    };
    let mut checks = Vec::new();
    if host.is_loopback() {
        checks.push(Check::bad(
            DNS,
            format!(
                "{host} is each phone itself, so phones never reach this server. For phones, the server needs a name on \
                 the Internet (--public-url), and the app has that name as its link host."
            ),
        ));
        checks.push(Check::bad(
            CERTIFICATE,
            "There is none in local mode, so phones verify no links.",
        ));
    } else {
        match probe.addresses(&android).await {
            Ok(addresses) => {
                let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
                let addresses = addresses.join(", ");
                checks.push(Check::good(DNS, format!("It leads to {addresses}.")));
            }
            Err(failure) => {
                let why = not_reached(failure);
                let sentence = format!("{why} The rest cannot be checked until then.");
                return vec![Check::bad(DNS, sentence)];
            }
        }
        if android.port() != 443 {
            checks.push(Check::bad(
                "Port",
                "Apple asks only port 443, so iPhones do not open these links in the app.",
            ));
        }
        let found = probe.certificate(&android).await;
        checks.push(certificate(&found, android.port(), now));
        if found.is_err() {
            return checks;
        }
    }
    let (android, ios) = tokio::join!(
        asset_links(probe, &android, app),
        site_association(probe, &ios, app)
    );
    checks.extend([android, ios]);
    checks
}

fn certificate(found: &Result<Certificate, CertificateFault>, port: u16, now: Timestamp) -> Check {
    match found {
        Ok(found) => {
            let days = found.not_after.since(now).as_secs() / (24 * 60 * 60);
            let until = format!("Phones accept it until {} ({days} days)", found.not_after);
            if found.is_renewal_overdue(now) {
                Check::bad(CERTIFICATE, format!("{until}: its renewal is overdue."))
            } else {
                Check::good(CERTIFICATE, format!("{until}."))
            }
        }
        Err(CertificateFault::NotConnected) => Check::bad(
            CERTIFICATE,
            format!("Nothing accepts connections on port {port}."),
        ),
        Err(fault) => Check::bad(CERTIFICATE, format!("Phones refuse it: {fault}.")),
    }
}

async fn asset_links(probe: &SiteProbe, url: &CallbackUrl, app: &App) -> Check {
    let apps = &app.login.android;
    if apps.is_empty() {
        return no_app(ASSET_LINKS, "Android", "--android", app);
    }
    let file = match read(probe, url).await {
        Ok(file) => file,
        Err(sentence) => return Check::bad(ASSET_LINKS, sentence),
    };
    let names = apps.iter().map(|app| app.package.as_str());
    let names: Vec<_> = names.collect();
    match check_asset_links(&file.body, apps) {
        Err(fault) => faulty(ASSET_LINKS, &fault),
        Ok(()) if !file.is_json() => Check::bad(
            ASSET_LINKS,
            format!(
                "Its media type is {}; Android takes only application/json.",
                file.media_type
            ),
        ),
        Ok(()) => Check::good(
            ASSET_LINKS,
            format!("Android opens the links in {}.", names.join(", ")),
        ),
    }
}

async fn site_association(probe: &SiteProbe, url: &CallbackUrl, app: &App) -> Check {
    let apps = &app.login.ios;
    if apps.is_empty() {
        return no_app(SITE_ASSOCIATION, "iOS", "--ios", app);
    }
    let file = match read(probe, url).await {
        Ok(file) => file,
        Err(sentence) => return Check::bad(SITE_ASSOCIATION, sentence),
    };
    let names: Vec<_> = apps.iter().map(IosAppId::as_str).collect();
    match check_site_association(&file.body, apps) {
        Err(fault) => faulty(SITE_ASSOCIATION, &fault),
        Ok(()) if !file.is_json() => Check::bad(
            SITE_ASSOCIATION,
            format!(
                "Its media type is {}; Apple asks for application/json.",
                file.media_type
            ),
        ),
        Ok(()) => Check::good(
            SITE_ASSOCIATION,
            format!(
                "iOS opens the links in {}. Phones get the file from Apple, whose copy may be a day old.",
                names.join(", ")
            ),
        ),
    }
}

/// Describes the lack of an app. That is a fault only if there is no app for the other system either.
fn no_app(name: &str, system: &str, option: &str, app: &App) -> Check {
    let sentence = format!(
        "The app names no {system} app ({option}), so {system} opens the links in the browser."
    );
    if app.login.android.is_empty() && app.login.ios.is_empty() {
        Check::bad(name, sentence)
    } else {
        Check::good(name, sentence)
    }
}

fn faulty(name: &str, fault: &LinkFileFault) -> Check {
    Check::bad(name, format!("The file is not what phones need: {fault}."))
}

/// A file that was answered with 200.
struct ReadFile {
    body: bytes::Bytes,
    /// As sent, if it looks like a media type.
    media_type: String,
}

impl ReadFile {
    fn is_json(&self) -> bool {
        self.media_type == "application/json"
    }
}

/// Reads a file, or describes why there is none.
async fn read(probe: &SiteProbe, url: &CallbackUrl) -> Result<ReadFile, String> {
    let seen = probe.file(url, MAX_FILE).await.map_err(not_reached)?;
    let SeenFile {
        status,
        media_type,
        body,
    } = seen;
    match (status, body) {
        (200, Some(body)) => Ok(ReadFile {
            body,
            media_type: media_type
                .filter(|name| is_media_type(name))
                .unwrap_or_else(|| "missing".to_owned()),
        }),
        (200, None) => Err("The file is larger than the 128 KiB that Apple accepts.".to_owned()),
        (300..=399, _) => Err(format!(
            "The host answers {status}, a redirect, which phones do not follow."
        )),
        (404, _) => Err(
            "The host answers 404: it does not lead to this service, or the service does not know it.".to_owned(),
        ),
        (status, _) => Err(format!("The host answers {status} instead of 200.")),
    }
}

fn is_media_type(text: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"/.+-_".contains(&c);
    text.len() <= 100 && text.bytes().all(plain)
}

fn not_reached(failure: Failure) -> String {
    match failure {
        Failure::Dns(LookupError::NotFound) => {
            "The name has no address: make its DNS record.".to_owned()
        }
        Failure::Dns(error) => format!("The name was not resolved: {error}."),
        Failure::RefusedAddress(address) => format!(
            "The name leads to an address that phones on the Internet cannot reach ({}).",
            address.purpose()
        ),
        Failure::RefusedUrl(CallbackUrlError::Port(port)) => {
            format!("Port {port} is not one that this service connects to.")
        }
        Failure::RefusedUrl(_) => "Such a name is not on the Internet.".to_owned(),
        failure => format!("The host did not answer: {failure}."),
    }
}
