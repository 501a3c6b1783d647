//! Rows of the benchmark: every function, the bare interface, and the same function in other languages.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::events::FUNCTIONS;

/// A program that is measured.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name in tables.
    pub name: String,
    /// The function whose events it answers.
    pub function: String,
    /// The words of the command that starts it.
    pub program: Vec<OsString>,
    /// Upload: a file or a folder.
    pub upload: PathBuf,
    /// Description for readers.
    pub about: &'static str,
}

impl Row {
    fn native(name: &str, function: &str, program: PathBuf, about: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            function: function.to_owned(),
            upload: program.clone(),
            program: vec![program.into()],
            about,
        }
    }

    fn is_built(&self) -> bool {
        self.upload.exists()
    }

    /// Returns the command that starts it.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut words = self.program.iter();
        let mut command = Command::new(words.next().expect("a row has a program"));
        command.args(words);
        command
    }
}

/// A row that cannot be measured, and what is missing.
#[derive(Clone, Debug)]
pub struct Missing {
    /// The row's name.
    pub row: String,
    /// Missing part.
    pub what: String,
}

/// Returns all rows, given the folder of the built programs, and those that cannot be measured. The script
/// that runs the benchmark sets variables that name what it built.
#[must_use]
pub fn rows(programs: &Path) -> (Vec<Row>, Vec<Missing>) {
    let mut rows: Vec<_> = FUNCTIONS
        .iter()
        .map(|name| Row::native(name, name, programs.join(name), "ours"))
        .collect();
    let own = |name: &str, function, about| Row::native(name, function, programs.join(name), about);
    rows.push(own("bare", "acquire", "a loop that only answers"));
    let (mut rows, absent): (Vec<_>, Vec<_>) = rows.into_iter().partition(Row::is_built);
    let absent = absent.into_iter().map(|row| Missing {
        row: row.name,
        what: "its program is not built".to_owned(),
    });
    let mut missing: Vec<_> = absent.collect();
    for rival in RIVALS {
        match rival.find() {
            Ok(row) => rows.push(row),
            Err(what) => missing.push(Missing {
                row: rival.name.to_owned(),
                what,
            }),
        }
    }
    (rows, missing)
}

/// The same function as `acquire`, written with other means.
struct Rival {
    name: &'static str,
    about: &'static str,
    /// The variable that names what was built.
    variable: &'static str,
    /// The variable that names the interpreter, for those that have one.
    interpreter: Option<&'static str>,
}

const RIVALS: [Rival; 4] = [
    Rival {
        name: "stock",
        about: "Rust, aws-sdk and lambda_http as they come",
        variable: "BENCH_STOCK",
        interpreter: None,
    },
    Rival {
        name: "go",
        about: "Go, SDK v2",
        variable: "BENCH_GO",
        interpreter: None,
    },
    Rival {
        name: "node",
        about: "Node.js, SDK v3, bundled",
        variable: "BENCH_NODE",
        interpreter: Some("BENCH_NODE_INTERPRETER"),
    },
    Rival {
        name: "python",
        about: "Python, boto3",
        variable: "BENCH_PYTHON",
        interpreter: Some("BENCH_PYTHON_INTERPRETER"),
    },
];

impl Rival {
    fn find(&self) -> Result<Row, String> {
        let named = |variable: &str| {
            let value = env::var_os(variable).filter(|value| !value.is_empty());
            value.ok_or_else(|| why_not(variable))
        };
        let built = PathBuf::from(named(self.variable)?);
        let interpreter = self.interpreter.map(named).transpose()?;
        let program = interpreter.into_iter().chain([built.clone().into()]);
        Ok(Row {
            name: self.name.to_owned(),
            function: "acquire".to_owned(),
            program: program.collect(),
            upload: uploaded(built),
            about: self.about,
        })
    }
}

/// Returns what is uploaded. The runtime of Python brings the loop and boto3 along, so that is the handler.
fn uploaded(built: PathBuf) -> PathBuf {
    let handler = built.with_file_name("handler.py");
    if handler.is_file() { handler } else { built }
}

/// Returns what the script said about a program that it could not build.
fn why_not(variable: &str) -> String {
    let why = env::var(format!("{variable}_MISSING")).ok();
    why.unwrap_or_else(|| format!("{variable} is not set"))
}
