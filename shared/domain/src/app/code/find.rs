//! Finding the code in a text as people and their phones really send it.
//!
//! Put up with: any Unicode compatibility form (full-width letters), zero-width and direction
//! marks, white space inside the code, every Unicode dash for the hyphen, lower case, O for 0 and
//! I or L for 1, one layer of percent-encoding, and any text before and after. Not put up with:
//! a seventeenth letter or digit right behind the code, a letter or digit right before it, or two
//! different codes in one text.
//!
//! The work grows with the text's length alone, whatever the text holds and however many prefixes
//! there are: anybody who has one of our numbers may send texts of blanks or hyphens. So the text
//! is cleaned once, each hyphen is looked at once, the symbols after a hyphen end at the next one,
//! and a prefix is looked up only where 16 symbols follow.

mod clean;

use std::collections::BTreeSet;

use thiserror::Error;

use super::prefix::MAX_LETTERS;
use super::{ALPHABET, Code, CodePrefix, SYMBOLS};
use clean::CleanText;

/// The longest text that is looked at, in bytes: more than ten concatenated messages.
const MAX_TEXT: usize = 8 * 1024;

/// Why a text holds no code that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum NoCode {
    /// Nothing in the text has the form of a code.
    #[error("the text holds no code")]
    Absent,
    /// Two different codes: taking either could be the wrong one.
    #[error("the text holds more than one code")]
    Ambiguous,
}

pub(super) fn find(text: &str, prefixes: &BTreeSet<CodePrefix>) -> Result<Code, NoCode> {
    if text.len() > MAX_TEXT {
        return Err(NoCode::Absent);
    }
    find_in(&CleanText::of(text), prefixes)
}

fn find_in(text: &CleanText, prefixes: &BTreeSet<CodePrefix>) -> Result<Code, NoCode> {
    let mut found: Option<Code> = None;
    for at in 0..text.len() {
        if text.get(at) != Some('-') {
            continue;
        }
        let Some(code) = code_after(text, at) else {
            continue;
        };
        if !has_prefix_before(text, at, prefixes) {
            continue;
        }
        match &found {
            Some(earlier) if *earlier != code => return Err(NoCode::Ambiguous),
            _ => found = Some(code),
        }
    }
    found.ok_or(NoCode::Absent)
}

/// Reads the 16 symbols after a hyphen, where no letter or digit touches the last of them.
fn code_after(text: &CleanText, hyphen: usize) -> Option<Code> {
    let mut values = [0; SYMBOLS];
    let mut at = hyphen;
    for value in &mut values {
        at += 1;
        *value = value_of(text.get(at)?)?;
    }
    (!text.continues_after(at)).then(|| Code::from_values(values))
}

/// Whether one of the prefixes stands right before a hyphen, and no letter or digit touches it.
fn has_prefix_before(text: &CleanText, hyphen: usize, prefixes: &BTreeSet<CodePrefix>) -> bool {
    let mut letters = [0; MAX_LETTERS];
    for at in (0..hyphen).rev() {
        let free = MAX_LETTERS.checked_sub(hyphen - at);
        let letter = text.get(at).filter(char::is_ascii_uppercase);
        let (Some(first), Some(Ok(letter))) = (free, letter.map(u8::try_from)) else {
            return false;
        };
        letters[first] = letter;
        let is_prefix = std::str::from_utf8(&letters[first..])
            .is_ok_and(|word| prefixes.contains(word))
            && !text.continues_before(at);
        if is_prefix {
            return true;
        }
    }
    false
}

/// What a symbol stands for, look-alikes included.
fn value_of(symbol: char) -> Option<u8> {
    let symbol = match symbol {
        'O' => '0',
        'I' | 'L' => '1',
        other => other,
    };
    let position = ALPHABET
        .iter()
        .position(|known| char::from(*known) == symbol)?;
    u8::try_from(position).ok()
}

#[cfg(test)]
mod tests;
