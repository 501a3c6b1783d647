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

static RECEIVERS: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let java = java(&[sample("java/Receiver.java")], "Receiver", None);
    installed("receiver", [("java", java)])
});

static LOGINS: LazyLock<Vec<Language>> =
    LazyLock::new(|| installed("login sample", [("java", java_with_nimbus("Login"))]));

/// Programs that run the server libraries' vectors with the login samples.
static VECTORS: LazyLock<Vec<Language>> = LazyLock::new(|| {
    installed(
        "vectors of the login sample",
        [("java", java_with_nimbus("Vectors"))],
    )
});

/// Returns the samples that this machine can run, and reports the others as skipped.
fn installed<const N: usize>(kind: &str, found: [(&'static str, Found); N]) -> Vec<Language> {
    let mut installed = Vec::new();
    for (name, found) in found {
        match found {
            Ok((program, arguments)) => installed.push(Language {
                name,
                program,
                arguments,
            }),
            Err(missing) => skipped(&format!("{kind} in {name}"), &missing),
        }
    }
    installed
}

/// Returns the webhook receivers that this machine can run.
pub(crate) fn available() -> &'static [Language] {
    &RECEIVERS
}

/// Returns the login samples that this machine can run.
pub(crate) fn logins() -> &'static [Language] {
    &LOGINS
}

/// Returns the programs that print what the login samples make of the vectors.
pub(crate) fn vectors() -> &'static [Language] {
    &VECTORS
}

/// Reports on standard error, and in the file named by `COUNTERSIGN_SKIP_LOG`, that a test was skipped.
/// The message bypasses the test harness, which hides the output of passing tests.
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

/// Checks that Node.js is installed.
pub(crate) fn has_node() -> Result<(), String> {
    output("node", &["--version"])
        .map(drop)
        .ok_or_else(|| "node not found".to_owned())
}

fn java(sources: &[PathBuf], class: &str, library: Option<PathBuf>) -> Found {
    output("java", &["-version"]).ok_or("java not found")?;
    output("javac", &["-version"]).ok_or("javac not found")?;
    // `java Receiver.java` would recompile it for every test.
    let classes = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("java-{class}"));
    let path: Vec<PathBuf> = library.into_iter().chain([classes.clone()]).collect();
    let path = PathBuf::from(env::join_paths(path).unwrap());
    let built = Command::new("javac")
        .arg("-cp")
        .arg(&path)
        .arg("-d")
        .arg(&classes)
        .args(sources)
        .status()
        .unwrap();
    assert!(built.success(), "the Java sample does not compile");
    Ok(("java".into(), vec!["-cp".into(), path, class.into()]))
}

/// Compiles the login sample, and a program that uses it. Returns how to run one of their classes.
fn java_with_nimbus(class: &str) -> Found {
    let folder = sample("java/login/target/dependency");
    let jars = folder.read_dir().ok().into_iter().flatten();
    let jar = jars.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let jar = jar
        .into_iter()
        .find(|path| path.extension().is_some_and(|end| end == "jar"));
    let missing = "nimbus-jose-jwt is not there: run `mvn dependency:copy-dependencies` in \
                   docs/receivers/java/login";
    let sources = [
        sample("java/login/Login.java"),
        sample("java/login/Passkey.java"),
        Path::new(env!("CARGO_MANIFEST_DIR")).join("java/Vectors.java"),
    ];
    java(&sources, class, Some(jar.ok_or(missing)?))
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
