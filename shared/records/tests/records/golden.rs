//! Tests against golden files: a directory for each version, with a file for each entity and format.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_records::{Entity, OLDEST_VERSION, VERSION, compact};
use serde_dynamo::{AttributeValue, Item};

use crate::entities::{Visitor, visit_all};

/// Environment variable that makes the tests rewrite the files of the present version.
const UPDATE: &str = "UPDATE_GOLDEN";

fn directory(version: u8) -> PathBuf {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    golden.join(format!("v{version}"))
}

/// Reads a golden file, after rewriting it if [`UPDATE`] is set.
fn golden(version: u8, file: &str, written: &str) -> String {
    let path = directory(version).join(file);
    if version == VERSION && std::env::var_os(UPDATE).is_some() {
        fs::create_dir_all(directory(version)).unwrap();
        fs::write(&path, written).unwrap();
    }
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Formats bytes as hexadecimal digits, 32 bytes per line.
fn hex(bytes: &[u8]) -> String {
    let line = |bytes: &[u8]| {
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        digits.collect::<String>() + "\n"
    };
    bytes.chunks(32).map(line).collect()
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

/// Returns an entity's attributes in DynamoDB's JSON, sorted by name.
fn dynamo_json<E: Entity>(entity: &E) -> String {
    let item: Item = serde_dynamo::to_item(entity.record()).unwrap();
    let item: BTreeMap<String, AttributeValue> = item.into_inner().into_iter().collect();
    let value = sorted(serde_json::to_value(item).unwrap());
    serde_json::to_string_pretty(&value).unwrap() + "\n"
}

fn sorted(value: serde_json::Value) -> serde_json::Value {
    match value {
        serde_json::Value::Object(map) => {
            let map: BTreeMap<_, _> = map.into_iter().collect();
            map.into_iter()
                .map(|(name, value)| (name, sorted(value)))
                .collect()
        }
        serde_json::Value::Array(list) => list.into_iter().map(sorted).collect(),
        value => value,
    }
}

/// Compares the records that this release writes with the newest golden files.
struct Writes {
    files: Vec<String>,
}

impl Visitor for Writes {
    fn visit<E: Entity>(&mut self, name: &str, _: E::Id, entity: &E) {
        let bytes = hex(&compact::encode(entity).unwrap());
        let file = format!("{name}.msgpack.hex");
        assert_eq!(bytes, golden(VERSION, &file, &bytes), "{file}");
        self.files.push(file);
        let json = dynamo_json(entity);
        let file = format!("{name}.dynamodb.json");
        assert_eq!(json, golden(VERSION, &file, &json), "{file}");
        self.files.push(file);
    }
}

#[test]
fn writes_equal_the_newest_golden_files() {
    let mut writes = Writes { files: Vec::new() };
    visit_all(&mut writes);
    let present = fs::read_dir(directory(VERSION)).unwrap();
    let mut present: Vec<_> = present
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    present.sort();
    writes.files.sort();
    assert_eq!(present, writes.files, "a golden file belongs to no entity");
}

/// Compares the entities that this release reads from a version's golden files with the originals.
struct Reads(u8);

impl Visitor for Reads {
    fn visit<E>(&mut self, name: &str, id: E::Id, entity: &E)
    where
        E: Entity + PartialEq + Debug,
        E::Id: Clone,
    {
        let file = directory(self.0).join(format!("{name}.msgpack.hex"));
        // A later version added this entity.
        if !file.exists() && self.0 != VERSION {
            return;
        }
        let bytes = from_hex(&fs::read_to_string(&file).unwrap());
        assert_eq!(bytes[0], self.0, "{name}");
        let read: E = compact::decode(id.clone(), &bytes).unwrap();
        assert_eq!(read, *entity, "{name}");
        let file = directory(self.0).join(format!("{name}.dynamodb.json"));
        let item: Item = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let record = serde_dynamo::from_item(item).unwrap();
        assert_eq!(E::from_record(id, record).unwrap(), *entity, "{name}");
    }
}

#[test]
fn golden_files_of_every_version_are_read() {
    for version in OLDEST_VERSION..=VERSION {
        visit_all(&mut Reads(version));
    }
}
