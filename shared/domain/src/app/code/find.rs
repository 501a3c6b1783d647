//! Search for the code in a text as people and their phones actually send it.
//!
//! Tolerated: any Unicode compatibility form (such as full-width letters), digits of any script,
//! zero-width and direction marks, lower case, O for 0 and I or L for 1, one layer of percent-encoding,
//! and any text before and after. White space, punctuation and the word "dash" may occur anywhere inside
//! the code, and the hyphen may be missing: 80 bits cannot be guessed. Not tolerated: an ASCII letter or
//! digit directly before or after the code, or two different codes in one text. Letters of other scripts
//! may touch the code, because many scripts are written without spaces.
//!
//! Words may look like symbols: `CS my nice secret is …`. Therefore, a candidate with a dash after its
//! prefix, as codes are issued, takes precedence over candidates without one. If two candidates of the
//! same kind share characters, the second one wins: the first began with a word before the code. A
//! symbol may be part of "dash": the text is first searched with such words replaced by dashes, and
//! then as it is.
//!
//! The work depends only on the length of the text and hardly on its content or on the number of
//! prefixes: anyone who knows one of our numbers can send us texts full of blanks or hyphens. The text
//! is therefore cleaned once, the value of each character is computed once, and a prefix is looked up
//! only where 16 symbols follow.

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
    let text = CleanText::from_text(text);
    let spoken = text
        .with_spoken_dashes()
        .map(|spoken| find_in(&spoken, prefixes));
    match spoken {
        None | Some(Err(NoCode::Absent)) => find_in(&text, prefixes),
        Some(found) => found,
    }
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
        if !text.continues_after(at)
            && let Some(start) = prefix_before(text, first, prefixes)
        {
            let found = match text.gap_before(first) {
                Gap::Dash => &mut issued,
                Gap::None | Gap::Other => &mut typed,
            };
            found.add(Code::from_values(*last), start, at);
        }
    }
    issued.one().or_else(|none| match none {
        NoCode::Absent => typed.one(),
        NoCode::Ambiguous => Err(none),
    })
}

/// The codes found so far, in the order of their ends.
#[derive(Default)]
struct Found {
    first: Option<Code>,
    differ: bool,
    /// The last code and the position of its last symbol. A code that shares characters with it
    /// replaces it.
    last: Option<(Code, usize)>,
}

impl Found {
    fn add(&mut self, code: Code, start: usize, end: usize) {
        self.settle(|last_end| last_end < start);
        self.last = Some((code, end));
    }

    /// Accepts the last code if no later code replaced it.
    fn settle(&mut self, stays: impl FnOnce(usize) -> bool) {
        let Some((last, end)) = self.last.take() else {
            return;
        };
        if !stays(end) {
            return;
        }
        match &self.first {
            Some(first) => self.differ |= *first != last,
            None => self.first = Some(last),
        }
    }

    fn one(mut self) -> Result<Code, NoCode> {
        self.settle(|_| true);
        if self.differ {
            return Err(NoCode::Ambiguous);
        }
        self.first.ok_or(NoCode::Absent)
    }
}

/// Returns the start of the prefix before a character, if only a gap separates the two and no other
/// letter or digit directly precedes the prefix.
fn prefix_before(text: &CleanText, first: usize, prefixes: &BTreeSet<CodePrefix>) -> Option<usize> {
    let mut letters = [0; MAX_LETTERS];
    for at in (0..first).rev() {
        let free = MAX_LETTERS.checked_sub(first - at)?;
        let letter = text.get(at).filter(char::is_ascii_uppercase)?;
        letters[free] = u8::try_from(letter).ok()?;
        let is_prefix = std::str::from_utf8(&letters[free..])
            .is_ok_and(|word| prefixes.contains(word))
            && !text.continues_before(at);
        if is_prefix {
            return Some(at);
        }
    }
    None
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
