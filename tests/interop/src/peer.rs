//! An interpreter of another language that receives bodies through its standard input.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde::Deserialize;

use crate::notices::skip;

/// One body for a peer, with everything that the peer needs to check it.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The metadata exactly as the caller wrote it.
    pub written: &'a str,
    /// The whole body.
    pub body: &'a str,
    /// The DER signature over the body; empty if the peer need not check one.
    pub signature: &'a [u8],
    /// True if the peer must re-serialise the body to the same bytes.
    pub comparable: bool,
}

/// A peer's results. The report counts successes, so that a peer that checks nothing is noticed.
#[derive(Debug, Deserialize)]
pub struct Report {
    /// Number of bodies read.
    pub read: usize,
    /// Number of comparable bodies that the language's serializer wrote back byte for byte.
    pub reserialised: usize,
    /// Number of bodies whose metadata the language reads as the value that the caller wrote.
    pub kept: usize,
    /// Number of valid signatures over re-serialized bodies.
    pub verified: usize,
    /// The first few bodies that failed a check.
    pub wrong: Vec<String>,
}

/// A running interpreter.
pub struct Peer {
    child: Child,
    input: BufWriter<ChildStdin>,
}

impl Peer {
    /// Starts the command line `program` with a script from the directory `canonical`, and with
    /// `public_key` as a further argument. If the program is not installed, reports `test` as skipped.
    #[must_use]
    pub fn start(test: &str, program: &[&str], script: &str, public_key: &str) -> Option<Self> {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("canonical");
        let (program, arguments) = program.split_first().expect("a command line has a program");
        let spawned = Command::new(program)
            .args(arguments)
            .arg(scripts.join(script))
            .arg(public_key)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = match spawned {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                skip(test, &format!("{program} not found"));
                return None;
            }
            spawned => spawned.expect("an installed interpreter starts"),
        };
        let input = child
            .stdin
            .take()
            .map(BufWriter::new)
            .expect("standard input is a pipe");
        Some(Self { child, input })
    }

    /// Sends one body to the peer.
    pub fn send(&mut self, frame: Frame<'_>) {
        let parts = [
            frame.written.as_bytes(),
            frame.body.as_bytes(),
            frame.signature,
        ];
        let mut head = Vec::with_capacity(13);
        for part in parts {
            let length = u32::try_from(part.len()).expect("parts are short");
            head.extend(length.to_be_bytes());
        }
        head.push(u8::from(frame.comparable));
        self.write(&head);
        for part in parts {
            self.write(part);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input
            .write_all(bytes)
            .expect("the interpreter reads on; see its message above");
    }

    /// Closes the peer's input and waits for its report.
    #[must_use]
    pub fn finish(self) -> Report {
        self.input
            .into_inner()
            .expect("the interpreter reads on; see its message above");
        let output = self
            .child
            .wait_with_output()
            .expect("the interpreter can be waited for");
        assert!(
            output.status.success(),
            "the interpreter failed; see its message above"
        );
        serde_json::from_slice(&output.stdout).expect("the interpreter reports in JSON")
    }
}
