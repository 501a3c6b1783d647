//! Tests against golden files. Each version has a directory with one file per document.
//!
//! `UPDATE_GOLDEN=1 cargo test -p countersign-conformance --test stored_form writes_equal` rewrites the files of the
//! current version. Files of earlier versions never change.

use std::fs;
use std::path::{Path, PathBuf};

use countersign_domain::store::form::{OLDEST_VERSION, VERSION, from_json, to_json};

use countersign_conformance::samples::documents::documents;

/// Environment variable that makes the tests rewrite the files of the current version.
const UPDATE: &str = "UPDATE_GOLDEN";

fn directory(version: u8) -> PathBuf {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stored_form/golden");
    golden.join(format!("v{version}"))
}

#[test]
fn writes_equal_the_newest_golden_files() {
    let directory = directory(VERSION);
    let mut names = Vec::new();
    for (name, _, document) in documents() {
        let file = format!("{name}.json");
        let written = to_json(&document).unwrap() + "\n";
        if std::env::var_os(UPDATE).is_some() {
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(&file), &written).unwrap();
        }
        let golden = fs::read_to_string(directory.join(&file));
        let golden = golden.unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(written, golden, "{file}");
        names.push(file);
    }
    let present = fs::read_dir(directory).unwrap();
    let mut present: Vec<_> = present
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    present.sort();
    names.sort();
    assert_eq!(present, names, "a golden file belongs to no document");
}

#[test]
fn golden_files_of_every_version_are_read() {
    for version in OLDEST_VERSION..=VERSION {
        for (name, key, document) in documents() {
            let file = directory(version).join(format!("{name}.json"));
            // The document was added in a later version.
            if !file.exists() && version != VERSION {
                continue;
            }
            let read = from_json(&key, fs::read_to_string(&file).unwrap().trim_end());
            assert_eq!(read, Ok(document), "{name}");
        }
    }
}
