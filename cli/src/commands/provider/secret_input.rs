//! Reads a secret from standard input. A terminal does not echo it.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, StdinLock};
use std::os::fd::AsFd as _;

use countersign_inbound::ProviderSpec;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use crate::failure::Failure;
use crate::terminal::complain;

/// Maximum size of a secret on standard input, in bytes.
const MAX_INPUT: u64 = 4096;

/// Reads a secret from standard input to its end, or on a terminal to the end of the line.
pub(super) fn read(spec: &ProviderSpec) -> Result<Zeroizing<String>, Failure> {
    let input = io::stdin().lock();
    let secret = if input.is_terminal() {
        let mut text = Zeroizing::new(String::new());
        let read = read_hidden(input, spec, &mut text);
        read.map_err(|error| Failure::because("standard input", &error))?;
        trimmed(&text)
    } else {
        read_all(input)?
    };
    secret.ok_or_else(|| {
        Failure::new(format!(
            "give the {} of {} on standard input",
            spec.secrets.label, spec.name
        ))
    })
}

/// Reads a secret redirected to standard input, if any. Does not prompt on a terminal.
pub(super) fn piped() -> Result<Option<Zeroizing<String>>, Failure> {
    let input = io::stdin().lock();
    if input.is_terminal() {
        return Ok(None);
    }
    read_all(input)
}

/// Reads standard input to its end.
fn read_all(input: StdinLock<'_>) -> Result<Option<Zeroizing<String>>, Failure> {
    let mut text = Zeroizing::new(String::new());
    let read = input.take(MAX_INPUT).read_to_string(&mut text);
    read.map_err(|error| Failure::because("standard input", &error))?;
    Ok(trimmed(&text))
}

/// Removes line breaks at the end; `None` if nothing is left.
fn trimmed(text: &str) -> Option<Zeroizing<String>> {
    let secret = text.trim_end_matches(['\n', '\r']);
    (!secret.is_empty()).then(|| Zeroizing::new(secret.to_owned()))
}

/// Prompts for a line, which the terminal does not echo.
fn read_hidden(input: StdinLock<'_>, spec: &ProviderSpec, text: &mut String) -> io::Result<usize> {
    let hidden = EchoOff::begin(&input)?;
    complain(&format!(
        "Paste the {} of {} and press Enter. It is not shown.",
        spec.secrets.label, spec.name
    ));
    let mut input = input.take(MAX_INPUT);
    let read = input.read_line(text);
    drop(hidden);
    read
}

/// Turns off the terminal's echo until dropped.
struct EchoOff(Termios);

impl EchoOff {
    fn begin(input: &StdinLock<'_>) -> io::Result<Self> {
        let before = tcgetattr(input.as_fd())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        // Drops earlier input, because it was echoed.
        tcsetattr(input.as_fd(), OptionalActions::Flush, &silent)?;
        Ok(Self(before))
    }
}

impl Drop for EchoOff {
    fn drop(&mut self) {
        // Fails only if the terminal is gone.
        let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Now, &self.0);
    }
}
