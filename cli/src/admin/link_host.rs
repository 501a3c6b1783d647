//! Checks of an app's link host, as phones see it.

mod faults;

use clap::Args;
use countersign_domain::app::App;
use countersign_domain::app::login::IosAppId;
use countersign_domain::app::login::link_files::{
    LinkFileFault, check_asset_links, check_site_association,
};
use countersign_domain::primitives::ids::AppId;
use countersign_domain::primitives::time::Timestamp;
use countersign_domain::primitives::unavailable::Unavailable;
use countersign_domain::web::callback_url::CallbackUrl;
use countersign_domain::web::link_host::LinkHost;
use countersign_webhook::client::SeenFile;
use countersign_webhook::site::{Certificate, CertificateFault, SiteProbe};
use serde::{Deserialize, Serialize};

use super::request::{Answer, Request};
use super::sentence::Sentence;
use super::{Admin, AdminError};
use faults::{faulty_file, not_reached, refused_certificate};

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
    #[serde(flatten)]
    found: Sentence,
}

impl Check {
    fn good(name: &str, found: Sentence) -> Self {
        Self {
            name: name.to_owned(),
            ok: true,
            found,
        }
    }

    fn bad(name: &str, found: Sentence) -> Self {
        Self {
            ok: false,
            ..Self::good(name, found)
        }
    }
}

impl Answer for CheckedLinkHost {
    fn text(&self) -> String {
        let width = self.checks.iter().map(|check| check.name.len()).max();
        let width = width.unwrap_or_default();
        let lines = self.checks.iter().map(|Check { name, ok, found }| {
            let state = if *ok { "ok " } else { "BAD" };
            format!("{state}  {name:<width$}  {found}")
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
            let found = Sentence::new(
                "link_no_host",
                "The app has no link host, so it can have no logins: `countersign app update {app} --link-host \
                 login.shop.example`.",
                [("app", &app.id)],
            );
            return Ok(CheckedLinkHost {
                link_host: None,
                checks: vec![Check::bad("Link host", found)],
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
        let found = Sentence::new("link_host_too_long", "The host is too long for a link.", []);
        return vec![Check::bad(DNS, found)];
    };
    let mut checks = Vec::new();
    if host.is_loopback() {
        checks.push(Check::bad(
            DNS,
            Sentence::new(
                "link_host_local",
                "On a phone, {host} is the phone itself, so phones never reach this server. Give the server a name on \
                 the Internet (--public-url), and the app that name as its link host.",
                [("host", host)],
            ),
        ));
        checks.push(Check::bad(
            CERTIFICATE,
            Sentence::new(
                "link_certificate_local",
                "There is none in local mode, so phones do not verify the links.",
                [],
            ),
        ));
    } else {
        match probe.addresses(&android).await {
            Ok(addresses) => {
                let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
                let found = Sentence::new(
                    "link_addresses",
                    "It leads to {addresses}.",
                    [("addresses", &addresses.join(", "))],
                );
                checks.push(Check::good(DNS, found));
            }
            // The rest cannot be checked.
            Err(failure) => return vec![Check::bad(DNS, not_reached(failure))],
        }
        if android.port() != 443 {
            checks.push(Check::bad(
                "Port",
                Sentence::new(
                    "link_port",
                    "Apple asks only port 443, so iPhones do not open these links in the app.",
                    [],
                ),
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
            let until = found.not_after;
            let days = until.since(now).as_secs() / (24 * 60 * 60);
            if found.is_renewal_overdue(now) {
                let found = Sentence::new(
                    "link_certificate_overdue",
                    "Phones accept it until {until} ({days} days): its renewal is overdue.",
                    [("until", &until), ("days", &days)],
                );
                Check::bad(CERTIFICATE, found)
            } else {
                let found = Sentence::new(
                    "link_certificate_good",
                    "Phones accept it until {until} ({days} days).",
                    [("until", &until), ("days", &days)],
                );
                Check::good(CERTIFICATE, found)
            }
        }
        Err(CertificateFault::NotConnected) => Check::bad(
            CERTIFICATE,
            Sentence::new(
                "link_not_connected",
                "Nothing accepts connections on port {port}.",
                [("port", &port)],
            ),
        ),
        Err(fault) => Check::bad(CERTIFICATE, refused_certificate(fault)),
    }
}

async fn asset_links(probe: &SiteProbe, url: &CallbackUrl, app: &App) -> Check {
    let apps = &app.login.android;
    if apps.is_empty() {
        return no_app(ASSET_LINKS, "Android", "--android", app);
    }
    let file = match read(probe, url).await {
        Ok(file) => file,
        Err(found) => return Check::bad(ASSET_LINKS, found),
    };
    let names = apps.iter().map(|app| app.package.as_str());
    let names: Vec<_> = names.collect();
    match check_asset_links(&file.body, apps) {
        Err(fault) => faulty(ASSET_LINKS, &fault),
        Ok(()) if !file.is_json() => Check::bad(
            ASSET_LINKS,
            Sentence::new(
                "link_media_type_android",
                "Its media type is {type}; Android takes only application/json.",
                [("type", &file.media_type)],
            ),
        ),
        Ok(()) => Check::good(
            ASSET_LINKS,
            Sentence::new(
                "link_opens_android",
                "Android opens the links in {apps}.",
                [("apps", &names.join(", "))],
            ),
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
        Err(found) => return Check::bad(SITE_ASSOCIATION, found),
    };
    let names: Vec<_> = apps.iter().map(IosAppId::as_str).collect();
    match check_site_association(&file.body, apps) {
        Err(fault) => faulty(SITE_ASSOCIATION, &fault),
        Ok(()) if !file.is_json() => Check::bad(
            SITE_ASSOCIATION,
            Sentence::new(
                "link_media_type_ios",
                "Its media type is {type}; Apple asks for application/json.",
                [("type", &file.media_type)],
            ),
        ),
        Ok(()) => Check::good(
            SITE_ASSOCIATION,
            Sentence::new(
                "link_opens_ios",
                "iOS opens the links in {apps}. Phones get the file from Apple, whose copy may be a day old.",
                [("apps", &names.join(", "))],
            ),
        ),
    }
}

/// Describes the lack of an app. That is a fault only if there is no app for the other system either.
fn no_app(name: &str, system: &str, option: &str, app: &App) -> Check {
    let found = Sentence::new(
        "link_no_app",
        "The app names no {system} app ({option}), so {system} opens the links in the browser.",
        [("system", &system), ("option", &option)],
    );
    if app.login.android.is_empty() && app.login.ios.is_empty() {
        Check::bad(name, found)
    } else {
        Check::good(name, found)
    }
}

fn faulty(name: &str, fault: &LinkFileFault) -> Check {
    Check::bad(name, faulty_file(fault))
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
async fn read(probe: &SiteProbe, url: &CallbackUrl) -> Result<ReadFile, Sentence> {
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
        (200, None) => Err(Sentence::new(
            "link_file_too_large",
            "The file is larger than the 128 KiB that Apple accepts.",
            [],
        )),
        (300..=399, _) => Err(Sentence::new(
            "link_redirect",
            "The host answers {status}, a redirect, which phones do not follow.",
            [("status", &status)],
        )),
        (404, _) => Err(Sentence::new(
            "link_not_found",
            "The host answers 404: it does not lead to this service, or the service does not know it.",
            [],
        )),
        (status, _) => Err(Sentence::new(
            "link_status",
            "The host answers {status} instead of 200.",
            [("status", &status)],
        )),
    }
}

fn is_media_type(text: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || b"/.+-_".contains(&c);
    text.len() <= 100 && text.bytes().all(plain)
}
