//! Removal of what people, phones and carriers do to the code in a text.

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;

/// A text without percent-encoding, compatibility forms, invisible characters and case, and without
/// what may separate the parts of a code, of which only the positions are kept.
pub(super) struct CleanText {
    characters: Vec<Character>,
    /// Number of characters read so far.
    #[cfg(test)]
    pub(super) reads: std::cell::Cell<usize>,
}

/// A character that separates nothing.
struct Character {
    value: char,
    /// Character directly before it.
    gap: Gap,
}

/// Separation of two characters.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing.
    None,
    /// White space, dots and underscores, or the start of the text.
    Other,
    /// The same, with at least one dash.
    Dash,
}

impl CleanText {
    pub(super) fn of(text: &str) -> Self {
        let decoded = percent_decode_str(text)
            .decode_utf8()
            .unwrap_or(text.into());
        let mut characters = Vec::with_capacity(text.len());
        let mut gap = Gap::Other;
        let visible = decoded.nfkc().filter(|c| !is_invisible(*c));
        for value in visible.flat_map(char::to_uppercase) {
            if is_dash(value) {
                gap = Gap::Dash;
            } else if is_separator(value) {
                gap = if gap == Gap::None { Gap::Other } else { gap };
            } else {
                characters.push(Character { value, gap });
                gap = Gap::None;
            }
        }
        Self {
            characters,
            #[cfg(test)]
            reads: std::cell::Cell::new(0),
        }
    }

    /// Returns the number of characters.
    pub(super) const fn len(&self) -> usize {
        self.characters.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<char> {
        self.character(at).map(|character| character.value)
    }

    /// Returns what directly precedes the character.
    pub(super) fn gap_before(&self, at: usize) -> Gap {
        self.character(at).map_or(Gap::None, |it| it.gap)
    }

    /// Returns whether a letter or digit directly precedes the character.
    pub(super) fn continues_before(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.get(before));
        self.gap_before(at) == Gap::None && before.is_some_and(char::is_alphanumeric)
    }

    /// Returns whether a letter or digit directly follows the character.
    pub(super) fn continues_after(&self, at: usize) -> bool {
        let after = self.character(at + 1);
        after.is_some_and(|it| it.gap == Gap::None && it.value.is_alphanumeric())
    }

    fn character(&self, at: usize) -> Option<&Character> {
        #[cfg(test)]
        self.reads.set(self.reads.get() + 1);
        self.characters.get(at)
    }
}

/// Returns whether people put `c`, besides dashes, between the groups of a code.
pub(super) fn is_separator(c: char) -> bool {
    c.is_whitespace() || matches!(c, '.' | '_')
}

/// Returns whether `c` is in Unicode's category Pd, or is the minus sign or the hyphen bullet.
pub(super) fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{058A}' | '\u{05BE}' | '\u{1400}' | '\u{1806}' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2043}'
                | '\u{2212}'
                | '\u{2E17}'
                | '\u{2E1A}'
                | '\u{2E3A}'
                | '\u{2E3B}'
                | '\u{2E40}'
                | '\u{2E5D}'
                | '\u{301C}'
                | '\u{3030}'
                | '\u{30A0}'
                | '\u{FE31}'
                | '\u{FE32}'
                | '\u{FE58}'
                | '\u{FE63}'
                | '\u{FF0D}'
                | '\u{10EAD}'
    )
}

/// Returns whether `c` takes no space on a screen: zero-width characters, direction marks,
/// variation selectors.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180B}'..='\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}
