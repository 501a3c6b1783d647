//! Another language's interpreter, fed with bodies through its standard input.

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde::Deserialize;

use crate::notices::skip;

/// One body on its way to a peer.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The metadata as the caller wrote it.
    pub written: &'a str,
    /// The whole body.
    pub body: &'a str,
    /// The DER signature over it; empty where there is none to check.
    pub signature: &'a [u8],
    /// Whether the peer is expected to write the body as it was.
    pub comparable: bool,
}

/// What a peer found. It counts what held, so one that looks at nothing is noticed.
#[derive(Debug, Deserialize)]
pub struct Report {
    /// Bodies read.
    pub read: usize,
    /// Comparable bodies that came out of the language's serialiser byte for byte.
    pub reserialised: usize,
    /// Bodies whose metadata is, to the language, the same value as what the caller wrote.
    pub kept: usize,
    /// Signatures that hold over the re-serialised body.
    pub verified: usize,
    /// The first few bodies with which something was wrong.
    pub wrong: Vec<String>,
}

/// A running interpreter.
pub struct Peer {
    child: Child,
    input: BufWriter<ChildStdin>,
}

impl Peer {
    /// Starts the command line `program` with a script from the directory `canonical` and
    /// `public_key` added; where it is not installed, `test` is reported as skipped.
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

    /// Hands over one body.
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

    /// Ends the stream and waits for what the peer found.
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
