//! Every input in the corpus passes its target.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use countersign_fuzz_targets::TARGETS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn every_target_has_a_program_and_a_corpus() {
    let targets: BTreeSet<_> = TARGETS
        .iter()
        .map(|target| target.name.to_owned())
        .collect();
    assert_eq!(names(&fuzz().join("corpus")), targets);
    let files = targets.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz().join("fuzz_targets")), files);
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for name in &targets {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
        let program = fuzz().join("fuzz_targets").join(format!("{name}.rs"));
        let program = fs::read_to_string(program).unwrap();
        assert!(
            program.contains(&format!("check(\"{name}\", input)")),
            "{name}"
        );
    }
}

#[test]
fn every_kept_input_passes() {
    for target in TARGETS {
        let folder = fuzz().join("corpus").join(target.name);
        let files = names(&folder);
        assert!(!files.is_empty(), "{} has no corpus", target.name);
        for file in files {
            let input = fs::read(folder.join(&file)).unwrap();
            println!("{}/{file}", target.name);
            (target.check)(&input);
        }
    }
}

/// Gives the first run of a new target something to start from, and also tries every prefix of a
/// small input.
#[test]
fn every_prefix_of_a_small_kept_input_passes() {
    for target in TARGETS {
        (target.check)(b"");
        let folder = fuzz().join("corpus").join(target.name);
        for file in names(&folder) {
            let input = fs::read(folder.join(&file)).unwrap();
            for end in (0..input.len().min(512)).step_by(7) {
                println!("{}/{file}, {end} bytes", target.name);
                (target.check)(&input[..end]);
            }
        }
    }
}
