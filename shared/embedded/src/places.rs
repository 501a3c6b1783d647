//! Locations of IP addresses, from the operator's files in the MaxMind DB format.
//!
//! Reads files from any vendor that have the members of `GeoLite2-City`, `GeoLite2-Country` or
//! `GeoIP2-Anonymous-IP`. Members that a file lacks are unknown.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use countersign_domain::login::sighting::{
    City, Coordinates, CountryCode, GeoIp, Located, NetworkClass,
};
use maxminddb::{LookupResult, PathElement, Reader};
use thiserror::Error;

/// A file that is not a readable MaxMind database.
#[derive(Debug, Error)]
#[error("{} is not a readable MaxMind DB file", path.display())]
pub struct UnreadablePlaces {
    path: PathBuf,
    #[source]
    source: maxminddb::MaxMindDbError,
}

/// The databases in order of precedence: the first that knows a member decides.
#[derive(Default)]
pub struct Places {
    files: Vec<Reader<Vec<u8>>>,
}

impl Places {
    /// Reads the files into memory and checks their format.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is not in the MaxMind DB format.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<Self, UnreadablePlaces> {
        let files = paths.iter().map(|path| {
            let path = path.as_ref();
            let opened = Reader::open_readfile(path).and_then(|reader| {
                reader.verify()?;
                Ok(reader)
            });
            opened.map_err(|source| UnreadablePlaces {
                path: path.to_owned(),
                source,
            })
        });
        Ok(Self {
            files: files.collect::<Result<_, _>>()?,
        })
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.files.iter();
        let kinds = kinds.map(|file| file.metadata().database_type.as_str());
        f.debug_list().entries(kinds).finish()
    }
}

impl GeoIp for Places {
    fn locate(&self, address: IpAddr) -> Located {
        let mut located = Located::default();
        for file in &self.files {
            let Ok(found) = file.lookup(address.to_canonical()) else {
                // The address is IPv6, and the file covers only IPv4.
                continue;
            };
            let place = &mut located.place;
            place.country = place.country.or_else(|| country(&found));
            place.city = place.city.take().or_else(|| city(&found));
            place.coordinates = place.coordinates.or_else(|| coordinates(&found));
            if located.network == NetworkClass::Unknown {
                located.network = network(&found);
            }
        }
        located
    }
}

type Found<'a> = LookupResult<'a, Vec<u8>>;

fn text<'a>(found: &Found<'a>, path: &[&str]) -> Option<&'a str> {
    let path: Vec<_> = path.iter().map(|key| PathElement::Key(key)).collect();
    found.decode_path(&path).ok().flatten()
}

fn country(found: &Found<'_>) -> Option<CountryCode> {
    text(found, &["country", "iso_code"])?
        .parse::<CountryCode>()
        .ok()
}

fn city(found: &Found<'_>) -> Option<City> {
    City::new(text(found, &["city", "names", "en"])?)
}

fn coordinates(found: &Found<'_>) -> Option<Coordinates> {
    let degrees = |name| -> Option<f64> {
        let path = [PathElement::Key("location"), PathElement::Key(name)];
        found.decode_path(&path).ok().flatten()
    };
    Coordinates::from_degrees(degrees("latitude")?, degrees("longitude")?).ok()
}

/// Returns the most suspicious class that the file names. A public or residential proxy counts as a
/// VPN, since it hides its user in the same way.
fn network(found: &Found<'_>) -> NetworkClass {
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

#[cfg(test)]
mod tests;
