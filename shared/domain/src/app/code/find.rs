//! Search for the code in a text as people and their phones really send it.
//!
//! Tolerated: any Unicode compatibility form (such as full-width letters), zero-width and direction
//! marks, lower case, O for 0 and I or L for 1, one layer of percent-encoding, and any text before and
//! after. White space, dashes, underscores and dots may stand anywhere inside the code, and the hyphen
//! may be missing: nobody guesses 80 bits. Not tolerated: a letter or digit directly before or after
//! the code, or two different codes in one text.
//!
//! Words may look like symbols: `CS my nice secret is …`. So what has a dash after its prefix, as codes
//! are issued, counts before what has none.
//!
//! The work depends only on the length of the text and hardly on its content or on the number of
//! prefixes: everyone who knows one of our numbers can send us texts full of blanks or hyphens. The
//! text is therefore cleaned once, each character is valued once, and a prefix is looked up only where
//! 16 symbols follow.

mod clean;

use std::collections::BTreeSet;

use thiserror::Error;

use super::prefix::MAX_LETTERS;
use super::{ALPHABET, Code, CodePrefix, SYMBOLS};
use clean::{CleanText, Gap};

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
    let (mut issued, mut typed) = (Found::default(), Found::default());
    let mut symbols = Vec::with_capacity(text.len());
    for at in 0..text.len() {
        match text.get(at).and_then(value_of) {
            Some(value) => symbols.push(value),
            None => symbols.clear(),
        }
        let Some(last) = symbols.last_chunk::<SYMBOLS>() else {
            continue;
        };
        let first = at + 1 - SYMBOLS;
        if !text.continues_after(at) && has_prefix_before(text, first, prefixes) {
            let found = match text.gap_before(first) {
                Gap::Dash => &mut issued,
                Gap::None | Gap::Other => &mut typed,
            };
            found.add(Code::from_values(*last));
        }
    }
    issued.one().or_else(|none| match none {
        NoCode::Absent => typed.one(),
        NoCode::Ambiguous => Err(none),
    })
}

/// The codes that were found.
#[derive(Default)]
struct Found {
    first: Option<Code>,
    differ: bool,
}

impl Found {
    fn add(&mut self, code: Code) {
        match &self.first {
            Some(first) => self.differ |= *first != code,
            None => self.first = Some(code),
        }
    }

    fn one(self) -> Result<Code, NoCode> {
        if self.differ {
            return Err(NoCode::Ambiguous);
        }
        self.first.ok_or(NoCode::Absent)
    }
}

/// Returns whether one of the prefixes stands before a character, with nothing but a gap between them
/// and without another letter or digit directly in front.
fn has_prefix_before(text: &CleanText, first: usize, prefixes: &BTreeSet<CodePrefix>) -> bool {
    let mut letters = [0; MAX_LETTERS];
    for at in (0..first).rev() {
        let free = MAX_LETTERS.checked_sub(first - at);
        let letter = text.get(at).filter(char::is_ascii_uppercase);
        let (Some(free), Some(Ok(letter))) = (free, letter.map(u8::try_from)) else {
            return false;
        };
        letters[free] = letter;
        let is_prefix = std::str::from_utf8(&letters[free..])
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
