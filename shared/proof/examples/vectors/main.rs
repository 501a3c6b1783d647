//! Writes the test vectors for other languages:
//! `cargo run -p countersign-proof --example vectors -- shared/proof/vectors`

mod cases;

use std::error::Error;
use std::fs;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder")?;
    for (name, vectors) in cases::files()? {
        let text = serde_json::to_string_pretty(&vectors)?;
        fs::write(PathBuf::from(&folder).join(name), text + "\n")?;
    }
    Ok(())
}
