//! `countersign places check`: reads place databases in full.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

use countersign_embedded::places::{Fetched, PlacesFile};

use super::summary::{Summary, shortcomings};
use crate::args::Output;
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::terminal::{complain, print, show};

/// Checks the given files, or the fetched ones. Fails if a file is damaged, or contains nothing
/// useful.
pub(super) fn check(data: &Path, files: &[PathBuf], output: Output) -> Result<ExitCode, Failure> {
    let opened = if files.is_empty() {
        fetched(data)?
    } else {
        let opened = files.iter().map(|path| PlacesFile::open(path));
        opened.collect::<Result<Vec<_>, _>>()?
    };
    let now = SystemTime::now();
    let mut summaries = Vec::new();
    for file in &opened {
        let name = file.path().file_name().unwrap_or_default();
        summaries.push(Summary::new(
            name.to_string_lossy(),
            file,
            file.verify()?,
            now,
        ));
    }
    report(&summaries, output)?;
    for line in shortcomings(&summaries) {
        complain(&line);
    }
    let useful = summaries.iter().all(Summary::is_useful);
    Ok(if useful {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn fetched(data: &Path) -> Result<Vec<PlacesFile>, Failure> {
    let data = DataDir::existing(data)?;
    let nothing = || {
        Failure::new(format!(
            "{} has no files of places: run `countersign places fetch --data {0}`, or name the files to check",
            data.path().display()
        ))
    };
    let directory = Fetched::directory(data.files())?.ok_or_else(nothing)?;
    let fetched = Fetched::read(&directory)?.ok_or_else(nothing)?;
    Ok(fetched.open(&directory)?)
}

/// Prints a summary of the files.
pub(super) fn report(summaries: &[Summary], output: Output) -> Result<(), Failure> {
    if output.json {
        let json = serde_json::to_string_pretty(summaries);
        return print(&json.map_err(|error| Failure::because("the answer", &error))?);
    }
    let texts: Vec<_> = summaries.iter().map(ToString::to_string).collect();
    show(&texts.join("\n"))
}
