//! Files that are replaced while a server is running.

use std::path::Path;

use countersign_system::private_files::PrivateDirectory;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;

struct World {
    _directory: TempDir,
    data: PrivateDirectory,
}

impl World {
    fn new() -> Self {
        let directory = tempdir().unwrap();
        let data = PrivateDirectory::create(&directory.path().join("data")).unwrap();
        Self {
            _directory: directory,
            data,
        }
    }

    fn open(&self, named: &[&Path]) -> LiveCityDatabases {
        let named = named.iter().map(|path| path.to_path_buf()).collect();
        let (live, damage) = LiveCityDatabases::open(named, self.data.clone()).unwrap();
        assert!(damage.is_none(), "{damage:?}");
        live
    }

    /// Puts a file into use as `places fetch` does.
    fn fetch(&self, version: &str, city: &'static str) {
        let directory = self.data.subdirectory(PLACES).unwrap();
        let name = format!("dbip-{version}.mmdb");
        let content = city_file(city);
        directory.replace(&name, &content).unwrap();
        let sha256 = Sha256::digest(&content).into();
        let fetched = Fetched {
            package: "places".to_owned(),
            version: version.to_owned(),
            credit: Some(PlaceCredit::DbIp),
            files: vec![FetchedFile { name, sha256 }],
        };
        fetched.write(&directory).unwrap();
        assert_eq!(Fetched::read(&directory).unwrap(), Some(fetched));
    }
}

fn city_file(city: &'static str) -> Vec<u8> {
    flat_database(
        "city ipv4",
        &[("203.0.113.0", 24, flat_place("DE", city, (50.94, 6.96)))],
    )
}

fn city_of(places: &LiveCityDatabases) -> Option<String> {
    let found = places.locate("203.0.113.7".parse().unwrap());
    found.place.city.map(|city| city.as_str().to_owned())
}

#[test]
fn fetched_files_are_used_from_the_next_reading_on() {
    let world = World::new();
    let live = world.open(&[]);
    assert!(!live.is_on());
    assert!(live.reread().unwrap().is_none(), "nothing changed");
    world.fetch("1", "Köln");
    assert_eq!(city_of(&live), None);
    assert!(live.reread().unwrap().is_some());
    assert!(live.is_on());
    assert_eq!(city_of(&live).as_deref(), Some("Köln"));
    world.fetch("2", "Bonn");
    assert!(live.reread().unwrap().is_some());
    assert_eq!(city_of(&live).as_deref(), Some("Bonn"));
    let directory = world.data.subdirectory(PLACES).unwrap();
    let names = directory.names().unwrap();
    assert!(!names.iter().any(|name| name == "dbip-1.mmdb"), "{names:?}");
    assert_eq!(city_of(&world.open(&[])).as_deref(), Some("Bonn"));
}

#[test]
fn damaged_file_that_was_fetched_leaves_what_is_in_use() {
    let world = World::new();
    world.fetch("1", "Köln");
    let live = world.open(&[]);
    world.fetch("2", "Bonn");
    let directory = world.data.subdirectory(PLACES).unwrap();
    let mut content = directory.read("dbip-2.mmdb").unwrap().unwrap();
    content[0] ^= 1;
    directory.replace("dbip-2.mmdb", &content).unwrap();
    let error = live.reread().unwrap_err();
    assert!(matches!(error, PlacesError::Damaged(_)), "{error}");
    assert_eq!(city_of(&live).as_deref(), Some("Köln"));
    assert!(live.reread().unwrap().is_none(), "it is not tried again");
    // A server that starts with such files has no places, and reports why.
    let (started, damage) = LiveCityDatabases::open(Vec::new(), world.data.clone()).unwrap();
    assert!(!started.is_on());
    assert!(damage.unwrap().to_string().contains("dbip-2.mmdb"));
    world.fetch("3", "Trier");
    assert!(started.reread().unwrap().is_some());
    assert_eq!(city_of(&started).as_deref(), Some("Trier"));
}

#[test]
fn named_file_comes_first_and_may_be_replaced() {
    let world = World::new();
    world.fetch("1", "Köln");
    let directory = tempdir().unwrap();
    let path = directory.path().join("own.mmdb");
    std::fs::write(&path, city_file("Bonn")).unwrap();
    let live = world.open(&[&path]);
    assert_eq!(city_of(&live).as_deref(), Some("Bonn"));
    let found = live.locate("203.0.113.7".parse().unwrap());
    assert_eq!(found.place.credit, None, "DB-IP told nothing of it");
    let new = directory.path().join("new.mmdb");
    std::fs::write(&new, city_file("Trier")).unwrap();
    std::fs::rename(&new, &path).unwrap();
    assert!(live.reread().unwrap().is_some());
    assert_eq!(city_of(&live).as_deref(), Some("Trier"));
    std::fs::remove_file(&path).unwrap();
    live.reread().unwrap_err();
    assert_eq!(city_of(&live).as_deref(), Some("Trier"));
}
