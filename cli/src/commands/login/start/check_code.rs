//! Asking for the check code on standard input.

use std::io::BufRead;

use countersign_domain::login::CheckCode;

use crate::failure::Failure;
use crate::input::read_line;

/// Asks until a line is two digits.
///
/// # Errors
///
/// Fails if the input ends first.
pub(super) fn ask(
    input: &mut dyn BufRead,
    mut prompt: impl FnMut(&str),
) -> Result<CheckCode, Failure> {
    loop {
        prompt("Type the two digits that the phone shows:");
        let line = read_line(input)?.ok_or_else(|| {
            Failure::new(
                "the person confirmed, but nobody typed the two digits that the phone shows",
            )
        })?;
        if let Ok(code) = line.trim().parse::<CheckCode>() {
            return Ok(code);
        }
    }
}

/// Returns the message about a wrong code.
pub(super) fn wrong(tries_left: u8) -> String {
    let tries = if tries_left == 1 { "try" } else { "tries" };
    format!("Not the digits that the phone shows: {tries_left} {tries} left.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn person_is_asked_until_they_type_two_digits() {
        let mut prompts = 0;
        let mut typed = "\n7\nseven\n007\n 07 \n42\n".as_bytes();
        let code = ask(&mut typed, |_| prompts += 1).unwrap();
        assert_eq!(code.digits(), "07");
        assert_eq!(prompts, 5);
    }

    #[test]
    fn end_of_the_input_is_a_failure() {
        let failed = ask(&mut "7\n".as_bytes(), |_| {}).unwrap_err();
        assert!(failed.to_string().contains("nobody typed"), "{failed}");
    }

    #[test]
    fn person_learns_how_many_tries_are_left() {
        assert!(wrong(2).ends_with("2 tries left."));
        assert!(wrong(1).ends_with("1 try left."));
    }
}
