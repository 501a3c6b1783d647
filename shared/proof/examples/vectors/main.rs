//! Writes the test vectors for other languages:
//! `cargo run -p countersign-proof --example vectors -- shared/proof/vectors clients/vectors.json`

mod cases;

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use cases::libraries;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().ok_or("name the folder")?;
    for (name, vectors) in cases::files()? {
        let text = serde_json::to_string_pretty(&vectors)?;
        fs::write(PathBuf::from(&folder).join(name), text + "\n")?;
    }
    let shared = PathBuf::from(arguments.next().ok_or("name the libraries' file")?);
    let text = fs::read_to_string(&shared)?;
    fs::write(&shared, with_section(&text)?)?;
    Ok(())
}

/// Replaces the section of passkeys, which ends before that of phones. Each key and each case has one line, like
/// the cases of the other sections.
fn with_section(text: &str) -> Result<String, Box<dyn Error>> {
    const FOLLOWING: &str = "  \"phones\": [\n";
    let section = libraries::section()?;
    let lines = |name: &str| {
        let items = section[name].as_array().into_iter().flatten();
        let items: Vec<_> = items.map(|item| format!("      {item}")).collect();
        format!("    \"{name}\": [\n{}\n    ]", items.join(",\n"))
    };
    let (keys, cases) = (lines("keys"), lines("cases"));
    let origin = &section["origin"];
    let written =
        format!("  \"passkeys\": {{\n    \"origin\": {origin},\n{keys},\n{cases}\n  }},\n");
    let (before, after) = text.split_once(FOLLOWING).ok_or("there are no phones")?;
    let before = before
        .split_once("  \"passkeys\": {\n")
        .map_or(before, |(before, _)| before);
    Ok(format!("{before}{written}{FOLLOWING}{after}"))
}
