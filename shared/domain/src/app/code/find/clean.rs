//! Removal of the changes that people, phones and carriers make to the code in a text.

use percent_encoding::percent_decode_str;
use unicode_normalization::char::is_combining_mark;

use crate::primitives::typed_text::{is_dash, is_separator, plain};

/// Words for "dash" in the languages of our pages. Dictation writes them out if it does not
/// recognize them as a command.
pub(super) const DASH_WORDS: [&str; 22] = [
    "DASH",
    "HYPHEN",
    "MINUS",
    "BINDESTRICH",
    "GEDANKENSTRICH",
    "STRICH",
    "TIRET",
    "MOINS",
    "GUION",
    "GUIÓN",
    "TRATTINO",
    "MENO",
    "HIFEN",
    "HÍFEN",
    "MENOS",
    "TRACO",
    "TRAÇO",
    "ハイフン",
    "ダッシュ",
    "マイナス",
    "شرطة",
    "ناقص",
];

/// A text without percent-encoding, compatibility forms, invisible characters and case. Separators
/// that may occur inside a code are removed too; only their positions are kept.
pub(super) struct CleanText {
    characters: Vec<Character>,
    /// Number of characters read so far.
    #[cfg(test)]
    pub(super) reads: std::cell::Cell<usize>,
}

/// A character other than a separator.
#[derive(Clone, Copy)]
struct Character {
    value: char,
    /// The gap directly before the character.
    gap: Gap,
}

/// The separators between two characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing.
    None,
    /// White space and punctuation, or the start of the text.
    Other,
    /// White space and punctuation with at least one dash.
    Dash,
}

impl CleanText {
    pub(super) fn from_text(text: &str) -> Self {
        let decoded = percent_decode_str(text)
            .decode_utf8()
            .unwrap_or(text.into());
        let mut characters = Vec::with_capacity(text.len());
        let mut gap = Gap::Other;
        for value in plain(&decoded).map(capital) {
            if is_dash(value) {
                gap = Gap::Dash;
            } else if is_separator(value) {
                gap = if gap == Gap::None { Gap::Other } else { gap };
            } else if gap == Gap::None || !is_combining_mark(value) {
                characters.push(Character { value, gap });
                gap = Gap::None;
            }
            // An accent without a letter is punctuation: its compatibility form is a space with a mark.
        }
        Self::new(characters)
    }

    const fn new(characters: Vec<Character>) -> Self {
        Self {
            characters,
            #[cfg(test)]
            reads: std::cell::Cell::new(0),
        }
    }

    /// Returns the text with each word for a dash replaced by a dash; `None` if it has no such
    /// word.
    pub(super) fn with_spoken_dashes(&self) -> Option<Self> {
        let mut characters = Vec::with_capacity(self.len());
        let (mut at, mut follows_word) = (0, false);
        while let Some(character) = self.character(at) {
            if let Some(length) = self.dash_word_at(at, character.value) {
                at += length;
                follows_word = true;
                continue;
            }
            let gap = if follows_word {
                Gap::Dash
            } else {
                character.gap
            };
            characters.push(Character { gap, ..*character });
            at += 1;
            follows_word = false;
        }
        (characters.len() < self.len()).then(|| Self::new(characters))
    }

    /// Returns the length of the word for a dash that begins here with `first`, if any. A word in
    /// Latin letters must not touch another letter or digit.
    fn dash_word_at(&self, at: usize, first: char) -> Option<usize> {
        let mut lengths = DASH_WORDS
            .iter()
            .filter(|word| word.starts_with(first) && self.spells(at, word))
            .map(|word| word.chars().count());
        lengths.find(|length| {
            let is_apart = !self.continues_before(at) && !self.continues_after(at + length - 1);
            is_apart || !first.is_ascii()
        })
    }

    fn spells(&self, start: usize, word: &str) -> bool {
        word.chars().enumerate().skip(1).all(|(offset, letter)| {
            let character = self.character(start + offset);
            character.is_some_and(|it| it.value == letter && it.gap == Gap::None)
        })
    }

    /// Returns the number of characters.
    pub(super) const fn len(&self) -> usize {
        self.characters.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<char> {
        self.character(at).map(|character| character.value)
    }

    /// Returns the gap directly before the character.
    pub(super) fn gap_before(&self, at: usize) -> Gap {
        self.character(at).map_or(Gap::None, |it| it.gap)
    }

    /// Returns whether an ASCII letter or digit directly precedes the character. Letters of other
    /// scripts do not count, because these scripts are written without spaces.
    pub(super) fn continues_before(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.get(before));
        self.gap_before(at) == Gap::None && before.is_some_and(|c| c.is_ascii_alphanumeric())
    }

    /// Returns whether an ASCII letter or digit directly follows the character.
    pub(super) fn continues_after(&self, at: usize) -> bool {
        let after = self.character(at + 1);
        after.is_some_and(|it| it.gap == Gap::None && it.value.is_ascii_alphanumeric())
    }

    fn character(&self, at: usize) -> Option<&Character> {
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        self.characters.get(at)
    }
}

/// Returns the capital of a letter, and any other character unchanged. A letter outside ASCII whose
/// capitals are ASCII, such as ß and the Turkish ı, is also left unchanged.
fn capital(c: char) -> char {
    let mut capitals = c.to_uppercase();
    match (capitals.next(), capitals.next()) {
        (Some(only), None) if c.is_ascii() || !only.is_ascii() => only,
        _ => c,
    }
}
