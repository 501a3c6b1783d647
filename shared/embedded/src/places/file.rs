//! A database of places.

use std::collections::HashSet;
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, Located, NetworkClass, PlaceCredit,
};
use maxminddb::{LookupResult, MaxMindDbError, PathElement, Reader, WithinOptions};
use serde::de::{DeserializeOwned, IgnoredAny};

use super::UnreadablePlaces;

/// A database in memory.
pub struct PlacesFile {
    path: PathBuf,
    reader: Reader<Vec<u8>>,
    credit: Option<PlaceCredit>,
}

/// The number of records in a database, by the information that they contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Records with a country.
    pub countries: u64,
    /// Records with coordinates, from which distances are computed.
    pub coordinates: u64,
    /// Records with the kind of network, such as a VPN.
    pub networks: u64,
}

impl PlacesFile {
    /// Reads a file into memory.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not in the MaxMind DB format.
    pub fn open(path: &Path) -> Result<Self, UnreadablePlaces> {
        let reader = Reader::open_readfile(path).map_err(unreadable(path))?;
        let credit = credit_of(path, &reader.metadata().database_type);
        Ok(Self {
            path: path.to_owned(),
            reader,
            credit,
        })
    }

    /// Creates a database from the content of a file whose source is known.
    pub(super) fn from_content(
        path: &Path,
        content: Vec<u8>,
        credit: Option<PlaceCredit>,
    ) -> Result<Self, UnreadablePlaces> {
        Ok(Self {
            path: path.to_owned(),
            reader: Reader::from_source(content).map_err(unreadable(path))?,
            credit,
        })
    }

    /// Decodes every record, and returns the number of each kind. Takes seconds for a file of millions of
    /// networks.
    ///
    /// It checks the same as `Reader::verify`, which however refuses files without a description, such as those
    /// on npm.
    ///
    /// # Errors
    /// Fails if a part of the file is corrupt.
    pub fn verify(&self) -> Result<Contents, UnreadablePlaces> {
        let mut contents = Contents::default();
        let mut seen = HashSet::new();
        let networks = self.reader.networks(WithinOptions::default());
        for network in networks.map_err(unreadable(&self.path))? {
            let found = network.map_err(unreadable(&self.path))?;
            // Many networks share a record.
            if !seen.insert(found.offset()) {
                continue;
            }
            let record = found.decode::<IgnoredAny>();
            record.map_err(unreadable(&self.path))?;
            contents.countries += u64::from(country(&found).is_some());
            contents.coordinates += u64::from(coordinates(&found).is_some());
            contents.networks += u64::from(network_class(&found) != NetworkClass::Unknown);
        }
        Ok(contents)
    }

    /// Returns the path from which it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the database type in the file's metadata, such as `GeoLite2-City`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.reader.metadata().database_type
    }

    /// Returns when the vendor built it; `None` if the file has no valid time.
    #[must_use]
    pub fn built(&self) -> Option<SystemTime> {
        self.reader.metadata().build_time().ok()
    }

    /// Returns the source to credit where its places are shown.
    #[must_use]
    pub const fn credit(&self) -> Option<PlaceCredit> {
        self.credit
    }

    /// Returns whether it contains any IPv4 network.
    #[must_use]
    pub fn has_ipv4(&self) -> bool {
        self.knows_within("0.0.0.0/0")
    }

    /// Returns whether it contains any network of public IPv6 addresses.
    #[must_use]
    pub fn has_ipv6(&self) -> bool {
        self.reader.metadata().ip_version == 6 && self.knows_within("2000::/3")
    }

    fn knows_within(&self, block: &str) -> bool {
        let block = block.parse().ok();
        let networks =
            block.and_then(|block| self.reader.within(block, WithinOptions::default()).ok());
        networks.is_some_and(|mut networks| networks.next().is_some())
    }

    /// Adds the file's information on an address to that of earlier files.
    pub(super) fn complete(&self, located: &mut Located, address: IpAddr) {
        let Ok(found) = self.reader.lookup(address) else {
            // The address is IPv6, and the file covers only IPv4.
            return;
        };
        let place = &mut located.place;
        let before = (place.country, place.city.is_some(), place.coordinates);
        place.country = place.country.or_else(|| country(&found));
        place.city = place.city.take().or_else(|| city(&found));
        place.coordinates = place.coordinates.or_else(|| coordinates(&found));
        if before != (place.country, place.city.is_some(), place.coordinates) {
            place.credit = place.credit.or(self.credit);
        }
        if located.network == NetworkClass::Unknown {
            located.network = network_class(&found);
        }
    }
}

impl fmt::Debug for PlacesFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PlacesFile({}, {})", self.path.display(), self.kind())
    }
}

fn unreadable(path: &Path) -> impl Fn(MaxMindDbError) -> UnreadablePlaces {
    move |source| UnreadablePlaces {
        path: path.to_owned(),
        source,
    }
}

/// Returns the source of a file, if its type or its name reveals it. DB-IP's free files are called
/// `dbip-…`: those from its own site also say so in their metadata, but those on npm do not.
fn credit_of(path: &Path, kind: &str) -> Option<PlaceCredit> {
    let kind = kind.to_ascii_lowercase();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_free = if kind.contains("dbip") {
        kind.contains("lite")
    } else {
        name.to_ascii_lowercase().starts_with("dbip-")
    };
    is_free.then_some(PlaceCredit::DbIp)
}

type Found<'a> = LookupResult<'a, Vec<u8>>;

/// Returns a member, by its path in `GeoLite2` or by its name in a flat file.
fn member<T: DeserializeOwned>(found: &Found<'_>, path: &[&str], flat: &str) -> Option<T> {
    let path: Vec<_> = path.iter().map(|key| PathElement::Key(key)).collect();
    let nested = found.decode_path(&path).ok().flatten();
    nested.or_else(|| found.decode_path(&[PathElement::Key(flat)]).ok().flatten())
}

fn country(found: &Found<'_>) -> Option<CountryCode> {
    let code: String = member(found, &["country", "iso_code"], "country_code")?;
    code.parse::<CountryCode>().ok()
}

fn city(found: &Found<'_>) -> Option<City> {
    let name: String = member(found, &["city", "names", "en"], "city")?;
    City::new(&name)
}

fn coordinates(found: &Found<'_>) -> Option<Coordinates> {
    let degrees = |name| {
        let path = ["location", name];
        // A file has numbers of 8 or of 4 bytes, between which the reader does not convert.
        let short = || member::<f32>(found, &path, name).map(f64::from);
        member::<f64>(found, &path, name).or_else(short)
    };
    Coordinates::from_degrees(degrees("latitude")?, degrees("longitude")?).ok()
}

/// Returns the most suspicious class that the file indicates. A public or residential proxy counts
/// as a VPN, since it hides its user in the same way.
fn network_class(found: &Found<'_>) -> NetworkClass {
    let says = |name| found.decode_path(&[PathElement::Key(name)]).ok().flatten() == Some(true);
    let hidden = [
        "is_anonymous_vpn",
        "is_public_proxy",
        "is_residential_proxy",
    ];
    if says("is_tor_exit_node") {
        NetworkClass::Tor
    } else if hidden.into_iter().any(says) {
        NetworkClass::Vpn
    } else if says("is_hosting_provider") {
        NetworkClass::Hosting
    } else {
        NetworkClass::Unknown
    }
}
