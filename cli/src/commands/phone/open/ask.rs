//! Asking for the decision on a terminal.

use std::io::BufRead;

use crate::args::Decision;
use crate::failure::Failure;
use crate::input::read_line;

/// Asks until the user types one of the two words in full, so that neither is the default. `None`
/// if the input ends first.
pub(super) fn ask(
    input: &mut dyn BufRead,
    mut prompt: impl FnMut(&str),
) -> Result<Option<Decision>, Failure> {
    loop {
        prompt("Type `confirm` or `deny`:");
        let Some(line) = read_line(input)? else {
            return Ok(None);
        };
        match line.trim().to_ascii_lowercase().as_str() {
            "confirm" => return Ok(Some(Decision::Confirm)),
            "deny" => return Ok(Some(Decision::Deny)),
            _ => {}
        }
    }
}
