//! The npm registry, as far as fetching one package needs it.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use countersign_api::Causes;
use reqwest::header::ACCEPT;
use reqwest::{Client, Response, StatusCode, redirect};
use serde::Deserialize;
use sha2::{Digest as _, Sha512};
use url::Url;

use super::package::PACKAGE;
use crate::failure::Failure;

/// Timeout for connecting, and for each part of an answer.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum size of a package's description, in bytes.
const MAX_DESCRIPTION: usize = 8 << 20;

/// Maximum size of a package, in bytes.
const MAX_PACKAGE: u64 = 1 << 30;

/// The media type of the abbreviated description, which npm itself requests.
const ABBREVIATED: &str = "application/vnd.npm.install-v1+json";

/// A registry.
pub(super) struct Registry<'a> {
    url: &'a Url,
    client: Client,
}

/// A version of the package.
pub(super) struct Release {
    pub(super) version: String,
    tarball: Url,
    sha512: Vec<u8>,
}

#[derive(Deserialize)]
struct Description {
    #[serde(rename = "dist-tags")]
    tags: BTreeMap<String, String>,
    versions: BTreeMap<String, Version>,
}

#[derive(Deserialize)]
struct Version {
    dist: Dist,
}

#[derive(Deserialize)]
struct Dist {
    tarball: String,
    integrity: Option<String>,
}

impl<'a> Registry<'a> {
    pub(super) fn new(url: &'a Url) -> Result<Self, Failure> {
        // Fails if another provider is already installed; that one is used then.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .user_agent(concat!("countersign/", env!("CARGO_PKG_VERSION")))
            .https_only(url.scheme() == "https")
            .redirect(redirect::Policy::limited(5))
            .connect_timeout(TIMEOUT)
            .read_timeout(TIMEOUT)
            .build();
        let client =
            client.map_err(|error| Failure::because("cannot create an HTTP client", &error))?;
        Ok(Self { url, client })
    }

    /// Returns the newest version of the package.
    pub(super) async fn newest(&self) -> Result<Release, Failure> {
        let base = self.url.as_str().trim_end_matches('/');
        let url = format!("{base}/{}", PACKAGE.replace('/', "%2f"));
        let request = self.client.get(&url).header(ACCEPT, ABBREVIATED);
        let mut answer = self.answer(request.send().await)?;
        let mut text = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.lost(&error))? {
            if text.len() + chunk.len() > MAX_DESCRIPTION {
                return Err(Failure::new(format!("{url} answers too much")));
            }
            text.extend_from_slice(&chunk);
        }
        let description: Description = serde_json::from_slice(&text)
            .map_err(|error| Failure::because(format!("{url} is no npm registry"), &error))?;
        release(description).ok_or_else(|| {
            Failure::new(format!(
                "{url} names no newest version of {PACKAGE} with a SHA-512 of its content"
            ))
        })
    }

    /// Writes a version's package to a file, and checks its hash.
    pub(super) async fn download(
        &self,
        release: &Release,
        file: &mut impl Write,
    ) -> Result<(), Failure> {
        let mut answer = self.answer(self.client.get(release.tarball.clone()).send().await)?;
        let (mut hash, mut length) = (Sha512::new(), 0);
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.lost(&error))? {
            length += chunk.len() as u64;
            if length > MAX_PACKAGE {
                return Err(Failure::new(format!("{} is too large", release.tarball)));
            }
            hash.update(&chunk);
            let written = file.write_all(&chunk);
            written.map_err(|error| Failure::because("cannot write the package", &error))?;
        }
        if hash.finalize()[..] != release.sha512[..] {
            return Err(Failure::new(format!(
                "{} is not what the registry says that it is (SHA-512): nothing was changed",
                release.tarball
            )));
        }
        Ok(())
    }

    fn answer(&self, answer: reqwest::Result<Response>) -> Result<Response, Failure> {
        let answer = answer.map_err(|error| self.lost(&error))?;
        match answer.status() {
            StatusCode::OK => Ok(answer),
            status => Err(Failure::new(format!("{} answered {status}", answer.url()))),
        }
    }

    fn lost(&self, error: &reqwest::Error) -> Failure {
        Failure::new(format!(
            "cannot fetch from {} ({}). Without internet: run `npm pack {PACKAGE}` elsewhere, and name its file \
             with --from",
            self.url,
            Causes(error)
        ))
    }
}

fn release(mut description: Description) -> Option<Release> {
    let version = description.tags.remove("latest")?;
    let Dist { tarball, integrity } = description.versions.remove(&version)?.dist;
    let integrity = integrity?;
    // Subresource Integrity, section 3.5: hashes separated by spaces.
    let mut hashes = integrity.split_ascii_whitespace();
    let sha512 =
        hashes.find_map(|hash| BASE64_STANDARD.decode(hash.strip_prefix("sha512-")?).ok())?;
    Some(Release {
        version,
        tarball: Url::parse(&tarball).ok()?,
        sha512,
    })
}
