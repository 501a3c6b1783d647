//! Rows of the benchmark: every function, the bare interface, and a function that uses the AWS SDK with
//! its defaults.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::events::FUNCTIONS;

/// A measured program.
#[derive(Clone, Debug)]
pub struct Row {
    /// The name in tables.
    pub name: String,
    /// The function whose events it answers.
    pub function: String,
    /// Path of the program, which is also the file that is uploaded.
    pub program: PathBuf,
    /// Description for readers.
    pub about: &'static str,
}

impl Row {
    fn is_built(&self) -> bool {
        self.program.exists()
    }

    /// Returns the command that starts it.
    #[must_use]
    pub fn command(&self) -> Command {
        Command::new(&self.program)
    }
}

/// Returns all rows, given the folder of the built programs, and those whose program is not built.
#[must_use]
pub fn rows(programs: &Path) -> (Vec<Row>, Vec<Row>) {
    let row = |name: &str, function: &str, about| Row {
        name: name.to_owned(),
        function: function.to_owned(),
        program: programs.join(name),
        about,
    };
    let ours = FUNCTIONS.iter().map(|name| row(name, name, "ours"));
    let beside = [
        row("bare", "acquire", "a loop that only answers"),
        row("stock", "acquire", "aws-sdk and lambda_http as they come"),
    ];
    ours.chain(beside).partition(Row::is_built)
}
