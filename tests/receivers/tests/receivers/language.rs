//! The samples, and the command that runs each.

use std::env;
use std::fs::File;
use std::io::{Write as _, stderr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// A sample that this machine can run.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    pub(crate) name: &'static str,
    program: PathBuf,
    arguments: Vec<PathBuf>,
}

impl Language {
    /// Returns the command that runs the sample.
    pub(crate) fn command(&self) -> tokio::process::Command {
        let mut command = tokio::process::Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

static AVAILABLE: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let found = [
        ("node", node()),
        ("python", python()),
        ("go", go()),
        ("java", java()),
        (
            "rust",
            Ok((env!("CARGO_BIN_EXE_receiver-rust").into(), vec![])),
        ),
    ];
    let mut available = Vec::new();
    for (name, found) in found {
        match found {
            Ok((program, arguments)) => available.push(Language {
                name,
                program,
                arguments,
            }),
            Err(missing) => skipped(&format!("receiver in {name}"), &missing),
        }
    }
    available
});

/// Returns the languages that this machine has.
pub(crate) fn available() -> &'static [Language] {
    &AVAILABLE
}

/// Reports that a test did not run, on standard error and in the file that `COUNTERSIGN_SKIP_LOG` names. It
/// bypasses the harness, which hides the output of passing tests.
#[allow(
    clippy::explicit_write,
    reason = "the harness hides the output of `eprintln!`"
)]
pub(crate) fn skipped(test: &str, missing: &str) {
    let line = format!("SKIPPED: {test}: {missing}\n");
    stderr().write_all(line.as_bytes()).unwrap();
    if let Some(log) = env::var_os("COUNTERSIGN_SKIP_LOG") {
        let mut log = File::options().create(true).append(true).open(log).unwrap();
        log.write_all(line.as_bytes()).unwrap();
    }
}

/// Returns the path of a sample's file.
pub(crate) fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/receivers")
        .join(path)
}

type Found = Result<(PathBuf, Vec<PathBuf>), String>;

fn node() -> Found {
    has_node()?;
    Ok(("node".into(), vec![sample("node/receiver.mjs")]))
}

/// Checks that Node.js is installed.
pub(crate) fn has_node() -> Result<(), String> {
    output("node", &["--version"])
        .map(drop)
        .ok_or_else(|| "node not found".to_owned())
}

fn python() -> Found {
    let python = env::var("COUNTERSIGN_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    output(&python, &["--version"]).ok_or_else(|| format!("{python} not found"))?;
    output(&python, &["-c", "import cryptography"])
        .ok_or_else(|| format!("{python} has no module `cryptography`"))?;
    Ok((python.into(), vec![sample("python/receiver.py")]))
}

fn go() -> Found {
    output("go", &["version"]).ok_or("go not found")?;
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("receiver-go");
    let built = Command::new("go")
        .args(["build", "-o"])
        .arg(&binary)
        .arg(".")
        .current_dir(sample("go"))
        .env("GOTOOLCHAIN", "local")
        .status()
        .unwrap();
    assert!(built.success(), "the Go sample does not compile");
    Ok((binary, vec![]))
}

fn java() -> Found {
    output("java", &["-version"]).ok_or("java not found")?;
    output("javac", &["-version"]).ok_or("javac not found")?;
    // `java Receiver.java` would recompile it for every test.
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join("receiver-java");
    let built = Command::new("javac")
        .arg("-d")
        .arg(&classes)
        .arg(sample("java/Receiver.java"))
        .status()
        .unwrap();
    assert!(built.success(), "the Java sample does not compile");
    Ok((
        "java".into(),
        vec!["-cp".into(), classes, "Receiver".into()],
    ))
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
