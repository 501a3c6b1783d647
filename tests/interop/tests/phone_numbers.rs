//! Phone numbers are read in the same way as by libphonenumber, whose metadata the domain uses.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use countersign_domain::primitives::phone::PhoneNumber;
use countersign_interop::notices::{announce, skip};
use countersign_interop::seeds;
use serde::Deserialize;

/// Environment variable with the path of a Python that has libphonenumber; `make test` sets it up.
const PYTHON: &str = "COUNTERSIGN_LIBPHONENUMBER";

/// A line of output from `generate.py`, where its format is described.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Case {
    International {
        text: String,
        e164: Option<String>,
        country: Option<String>,
        r#type: Option<String>,
    },
    National {
        text: String,
        country: String,
        e164: String,
    },
}

impl Case {
    /// Returns our result if it is wrong.
    fn difference(&self) -> Option<String> {
        match self {
            Self::International {
                text,
                e164,
                country,
                r#type,
            } => {
                let number = PhoneNumber::parse_international(text).ok();
                let ours = number.as_ref().map(|number| {
                    let country = number.country().map(|country| country.to_string());
                    let kind: Option<&str> = number.number_type().map(Into::into);
                    (number.as_str(), country, kind)
                });
                let kind = r#type.as_deref().map(|kind| match kind {
                    "personal_number" => "personal",
                    other => other,
                });
                let theirs = e164.as_deref().map(|e164| (e164, country.clone(), kind));
                (ours != theirs).then(|| format!("{text}: {ours:?}, not {theirs:?}"))
            }
            Self::National {
                text,
                country,
                e164,
            } => {
                let read = PhoneNumber::parse_within(text, country.parse().unwrap()).ok();
                let expected = PhoneNumber::parse_international(e164).unwrap();
                let ours = read.as_ref().map(PhoneNumber::as_str);
                (ours != Some(expected.as_str()))
                    .then(|| format!("{country} {text}: {ours:?}, not {}", expected.as_str()))
            }
        }
    }
}

#[test]
fn numbers_are_read_as_libphonenumber_reads_them() {
    let Ok(python) = std::env::var(PYTHON) else {
        skip(
            "the comparison with libphonenumber",
            &format!("{PYTHON} is not set"),
        );
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("phone_numbers/generate.py");
    for seed in [seeds::FIXED, seeds::fresh("phone numbers")] {
        let seed = seed.to_string();
        let output = Command::new(&python)
            .arg(&script)
            .arg(&seed)
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        let (mut international, mut national, mut differing) = (0, 0, Vec::new());
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let case: Case = serde_json::from_str(line).unwrap();
            match case {
                Case::International { .. } => international += 1,
                Case::National { .. } => national += 1,
            }
            differing.extend(case.difference());
        }
        announce(&format!(
            "compared {international} international and {national} national forms of phone numbers"
        ));
        assert!(international > 15_000 && national > 20_000);
        assert!(
            differing.is_empty(),
            "{} differ: {differing:#?}",
            differing.len()
        );
    }
}

/// The numbering plans in the tree have the version that the comparison uses.
#[test]
fn plans_are_up_to_date() {
    let Ok(python) = std::env::var(PYTHON) else {
        skip("the numbering plans' age", &format!("{PYTHON} is not set"));
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = root.join("scripts/numbering_plans.py");
    let output = Command::new(python)
        .arg(script)
        .arg("--check")
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
}
