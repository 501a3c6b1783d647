//! Search for the code in a text as people and their phones really send it.
//!
//! Tolerated: any Unicode compatibility form (such as full-width letters), zero-width and direction
//! marks, white space inside the code, any Unicode dash as the hyphen, lower case, O for 0 and I or
//! L for 1, one layer of percent-encoding, and any text before and after. Not tolerated: a letter
//! or digit directly before or after the code, or two different codes in one text.
//!
//! The work depends only on the length of the text, not on its content or on the number of
//! prefixes: everyone who knows one of our numbers can send us texts full of blanks or hyphens. The
//! text is therefore cleaned once, each hyphen is examined once, the symbols after a hyphen end at
//! the next one, and a prefix is looked up only if 16 symbols follow.

mod clean;

use std::collections::BTreeSet;

use thiserror::Error;

use super::prefix::MAX_LETTERS;
use super::{ALPHABET, Code, CodePrefix, SYMBOLS};
use clean::CleanText;

/// Maximum length of a text that is searched, in bytes: more than ten concatenated messages.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// The reason why a text yields no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
pub enum NoCode {
    /// No part of the text has the form of a code.
    #[error("the text contains no code")]
    Absent,
    /// The text contains two different codes, and either could be the wrong one.
    #[error("the text contains more than one code")]
    Ambiguous,
}

pub(super) fn find(text: &str, prefixes: &BTreeSet<CodePrefix>) -> Result<Code, NoCode> {
    if text.len() > MAX_TEXT_BYTES {
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

/// Parses the 16 symbols after a hyphen, unless another letter or digit directly follows.
fn code_after(text: &CleanText, hyphen: usize) -> Option<Code> {
    let mut values = [0; SYMBOLS];
    let mut at = hyphen;
    for value in &mut values {
        at += 1;
        *value = value_of(text.get(at)?)?;
    }
    (!text.continues_after(at)).then(|| Code::from_values(values))
}

/// Returns whether one of the prefixes stands directly before a hyphen, without another letter or
/// digit in front.
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

/// Returns the value of a symbol or of a character that looks like it.
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
