mod file;

use countersign_domain::login::sighting::Coordinates;
use tempfile::tempdir;

use super::*;
use file::{Value, database};

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

fn places(files: &[&[(&str, u8, Value)]]) -> Places {
    let directory = tempdir().unwrap();
    let paths: Vec<_> = (0..files.len())
        .map(|n| directory.path().join(format!("{n}.mmdb")))
        .collect();
    for (path, networks) in paths.iter().zip(files) {
        std::fs::write(path, database(networks)).unwrap();
    }
    Places::open(&paths).unwrap()
}

fn locate(places: &Places, address: &str) -> Located {
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
        ("city", Value::Text("Köln")),
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
    assert!(Places::open(&[&path]).is_err(), "absent");
    std::fs::write(&path, "places").unwrap();
    let refused = Places::open(&[&path]).unwrap_err();
    assert!(refused.to_string().contains("not.mmdb"), "{refused}");
    let mut whole = database(&[("203.0.113.0", 24, Value::Text("x"))]);
    whole.drain(..8);
    std::fs::write(&path, whole).unwrap();
    assert!(Places::open(&[&path]).is_err(), "cut");
}
