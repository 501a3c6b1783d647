//! Reading a secret from standard input. On a terminal it is not shown.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, StdinLock};
use std::os::fd::AsFd as _;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use super::kind::Kind;
use crate::console::complain;
use crate::failure::Failure;

/// Maximum size of a secret on standard input, in bytes.
const MAX_INPUT: u64 = 4096;

/// Reads a secret: to the end, or on a terminal to the end of the line.
pub(super) fn read(kind: &Kind) -> Result<Zeroizing<String>, Failure> {
    let mut text = Zeroizing::new(String::new());
    let mut input = io::stdin().lock();
    let read = if input.is_terminal() {
        read_hidden(input, kind, &mut text)
    } else {
        input.by_ref().take(MAX_INPUT).read_to_string(&mut text)
    };
    read.map_err(|error| Failure::because("standard input", &error))?;
    let secret = text.trim_end_matches(['\n', '\r']);
    if secret.is_empty() {
        return Err(Failure::new(format!(
            "give the {} of {} on standard input",
            kind.secret, kind.name
        )));
    }
    Ok(Zeroizing::new(secret.to_owned()))
}

/// Asks for a line that the terminal does not show.
fn read_hidden(input: StdinLock<'_>, kind: &Kind, text: &mut String) -> io::Result<usize> {
    let hidden = Hidden::begin(&input)?;
    complain(&format!(
        "Paste the {} of {} and press Enter. It is not shown.",
        kind.secret, kind.name
    ));
    let mut input = input.take(MAX_INPUT);
    let read = input.read_line(text);
    drop(hidden);
    read
}

/// A terminal that does not show what is typed, until this is dropped.
struct Hidden(Termios);

impl Hidden {
    fn begin(input: &StdinLock<'_>) -> io::Result<Self> {
        let before = tcgetattr(input.as_fd())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        // What was typed before is dropped, since it was shown.
        tcsetattr(input.as_fd(), OptionalActions::Flush, &silent)?;
        Ok(Self(before))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // If that fails, the terminal is gone.
        let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Now, &self.0);
    }
}
